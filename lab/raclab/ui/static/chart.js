// Draws the plotly figure of a Chart and redraws it in place. plotly.js comes from the kernel, once a page.

function known(version) {
  return globalThis[Symbol.for("raclab.plotly")]?.[version];
}

async function evaluate(version, buffer) {
  const before = globalThis.Plotly;
  const url = URL.createObjectURL(new Blob([buffer], { type: "text/javascript" }));
  try {
    await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
  const copies = (globalThis[Symbol.for("raclab.plotly")] ??= {});
  copies[version] ??= globalThis.Plotly;
  globalThis.Plotly = before;
}

// Each chart asks for itself until one copy has come: a kernel that died while answering must not leave the next one waiting.
async function plotly(model) {
  const version = model.get("plotly_version");
  if (!known(version)) {
    await new Promise((resolve, reject) => {
      const take = (message, buffers) => {
        if (message?.plotly !== version) return;
        model.off("msg:custom", take);
        evaluate(version, buffers[0]).then(resolve, reject);
      };
      model.on("msg:custom", take);
      model.send({ want: "plotly" });
    });
  }
  return known(version);
}

function render({ model, el }) {
  const plot = document.createElement("div");
  plot.className = "raclab-chart";
  plot.setAttribute("role", "figure");
  plot.textContent = "Loading the chart …";
  el.append(plot);
  let Plotly = null;
  let drawing = false;
  let outdated = false;

  const draw = async () => {
    const run = model.get("run");
    const { data, layout } = JSON.parse(model.get("figure"));
    if (!plot.classList.contains("js-plotly-plot")) plot.textContent = "";
    await Plotly.react(plot, data, layout, {
      displaylogo: false,
      modeBarButtonsToRemove: ["select2d", "lasso2d"],
    });
    plot.dataset.raclabRun = run;
  };
  const complain = (error) => {
    console.error(error);
    plot.textContent = `The chart can't be drawn: ${error}`;
  };
  // What changes while the chart is being drawn makes one more drawing after it, of the newest figure.
  const changed = async () => {
    outdated = true;
    if (!Plotly || drawing) return;
    drawing = true;
    try {
      while (outdated) {
        await null; // figure and run arrive together but are announced one after the other
        outdated = false;
        await draw();
      }
    } catch (error) {
      complain(error);
    } finally {
      drawing = false;
    }
  };
  const describe = () => plot.setAttribute("aria-label", model.get("alt"));
  model.on("change:figure", changed);
  model.on("change:run", changed);
  model.on("change:alt", describe);
  describe();
  plotly(model).then((found) => {
    Plotly = found;
    changed();
  }, complain);

  const resized = new ResizeObserver(() => {
    if (Plotly && plot.classList.contains("js-plotly-plot") && plot.offsetParent) Plotly.Plots.resize(plot);
  });
  resized.observe(el);
  return () => {
    resized.disconnect();
    model.off("change:figure", changed);
    model.off("change:run", changed);
    model.off("change:alt", describe);
    if (Plotly) Plotly.purge(plot);
  };
}

export default { render };
