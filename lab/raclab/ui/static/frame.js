// Shows the frame's line, and gives every control in a panel a name that screen readers say.

function text(element) {
  return element?.textContent.trim() ?? "";
}

function setOnce(element, name, value) {
  if (element && value && element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// noUiSlider announces a slider's position; what it means stands in ipywidgets' readout.
function announceReadout(handle, readout) {
  const say = () => setOnce(handle, "aria-valuetext", text(readout));
  say();
  if (handle.dataset.raclabReadout) return;
  handle.dataset.raclabReadout = "followed";
  new MutationObserver(say).observe(readout, { childList: true, characterData: true, subtree: true });
  new MutationObserver(say).observe(handle, { attributes: true, attributeFilter: ["aria-valuetext"] });
}

function labelPanel(panel) {
  // Arrow keys belong to the control that has the focus, not to JupyterLab's cell selection.
  for (const control of panel.querySelectorAll("[role=slider], input[type=radio]")) {
    setOnce(control, "data-lm-suppress-shortcuts", "true");
  }
  for (const live of panel.querySelectorAll(".raclab-says")) setOnce(live, "aria-live", "polite");
  for (const box of panel.querySelectorAll(".widget-inline-hbox")) {
    const name = text(box.querySelector(".widget-label"));
    const handle = box.querySelector("[role=slider]");
    const readout = box.querySelector(".widget-readout");
    setOnce(handle, "aria-label", name);
    if (handle && readout) {
      announceReadout(handle, readout);
      setOnce(readout, "role", "textbox");
      setOnce(readout, "aria-label", `${name}: value`);
    }
    if (box.classList.contains("widget-text")) setOnce(box.querySelector("input"), "aria-label", name);
  }
  const question = text(panel.querySelector(".raclab-question"));
  for (const choices of panel.querySelectorAll(".widget-radio")) {
    setOnce(choices, "role", "radiogroup");
    setOnce(choices, "aria-label", question);
  }
}

function labelAll() {
  for (const panel of document.querySelectorAll(".raclab-panel")) labelPanel(panel);
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const alt = plot.layout?.meta?.alt;
    if (alt) {
      setOnce(plot, "role", "figure");
      setOnce(plot, "aria-label", alt);
    }
  }
}

// One observer a page, however many notebooks are open in it. It only notes that something has changed.
function keepLabelled() {
  const key = Symbol.for("raclab.labels");
  globalThis[key]?.disconnect();
  let waiting = 0;
  const observer = new MutationObserver(() => {
    waiting ||= setTimeout(() => {
      waiting = 0;
      labelAll();
    }, 100);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  globalThis[key] = observer;
  labelAll();
}

function render({ model, el }) {
  const show = () => {
    el.innerHTML = model.get("html");
  };
  model.on("change:html", show);
  show();
  keepLabelled();
}

export default { render };
