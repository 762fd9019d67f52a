// The contrast of every text that is seen in an output, to what is behind it, as WCAG 2 defines it. Disabled controls don't count.
() => {
  const parse = (colour) => {
    const [r, g, b, a = 1] = (colour.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const background = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((below, layer) => over(layer, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const luminance = ({ r, g, b }) => {
    const part = (channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const found = [];
  for (const area of document.querySelectorAll(".jp-Cell-outputArea")) {
    const walker = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent.trim();
      const element = node.parentElement;
      if (!text || element.closest("style, script, title, desc, defs, :disabled, .jp-OutputPrompt")) continue;
      const box = element.getBoundingClientRect();
      if (!box.width || !box.height || getComputedStyle(element).visibility === "hidden") continue;
      const style = getComputedStyle(element);
      const behind = background(element);
      const colour = over(parse(element instanceof SVGElement ? style.fill : style.color), behind);
      const [dark, light] = [luminance(colour), luminance(behind)].sort((a, b) => a - b);
      found.push({ text: text.slice(0, 60), ratio: Math.round((100 * (light + 0.05)) / (dark + 0.05)) / 100 });
    }
  }
  return found;
}
