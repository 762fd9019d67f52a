// Times one move of a lever. Installed before a key is pressed; resolves with milliseconds since that key went down:
// chart: to the first animation frame after the chart was drawn anew; whole: to the one in which sentence and chart show all seeds.
(seeds) => {
  const chart = document.querySelector(".raclab-chart");
  const sentence = () => document.querySelector(".raclab-says [data-raclab-run]");
  const before = Number(sentence().dataset.raclabRun);
  const times = {};
  let pressed = 0;
  const isWhole = () => {
    const said = sentence();
    return (
      Number(said.dataset.raclabRun) > before &&
      Number(said.dataset.raclabSeeds) === seeds &&
      chart.dataset.raclabRun === said.dataset.raclabRun &&
      chart.getAttribute("aria-label") === said.textContent
    );
  };
  globalThis.raclabMove = new Promise((resolve) => {
    const note = (name) => {
      if (times[name] !== undefined) return;
      times[name] = null; // seen, and shown with the next frame
      requestAnimationFrame(() => {
        times[name] = performance.now() - pressed;
        if (times.chart && times.whole) {
          observer.disconnect();
          resolve(times);
        }
      });
    };
    const observer = new MutationObserver(() => {
      if (!pressed) return;
      if (Number(chart.dataset.raclabRun) > before) note("chart");
      if (isWhole()) note("whole");
    });
    observer.observe(chart.closest(".raclab-panel"), {
      attributes: true,
      attributeFilter: ["data-raclab-run", "aria-label"],
      characterData: true,
      childList: true,
      subtree: true,
    });
    document.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true, once: true });
  });
}
