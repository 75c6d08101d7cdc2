
"use strict";
(() => {
  const STEP = 60;                      // rows added at a time
  const FEW = 12;                       // distinct texts in a menu; with more of them, a word is searched
  const FLAGS = { silent: "its peak is under -80 dB", clipped: "samples were beyond full scale", dc: "its mean is over -60 dB",
    residual: "its energy balance is over 1e-10", short: "it lasts under 0.1 s", failed: "there is no sound" };
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);
  const { columns, items } = data;
  const by = (id) => document.getElementById(id);
  const audio = by("audio"), list = by("list"), detail = by("detail");
  const narrow = matchMedia("(max-width: 1099px)");
  const state = { sort: -1, down: false, text: "", flag: "", filters: new Map(), shown: [], built: 0, chosen: -1, playing: -1,
    oneScale: true };
  const rows = new Map();               // by the index of an item: its element, if it is built

  // --- texts -------------------------------------------------------------------------------------------------------------------------

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }

  function number(value, digits = 4) {
    if (value === 0 || Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
    const size = Math.abs(value);
    if (size < 1e-4 || size >= 1e7) return value.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e");
    const text = value.toPrecision(digits);
    return text.includes("e") ? String(Math.round(value)) : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }

  const many = (count) => `${count} sound${count === 1 ? "" : "s"}`;
  const shownValue = (value, digits) => value === null || value === undefined ? "" : typeof value === "number" ? number(value, digits) : value;
  const flagsOf = (item) => item.error ? ["failed", ...item.flags] : item.flags;

  // the shortest ends of the paths of parameters that are different for each
  const labels = columns.map((column, index) => {
    const parts = column.name.split(".");
    for (let count = Math.min(2, parts.length); count < parts.length; count += 1) {
      const end = parts.slice(-count).join(".");
      if (!columns.some((other, at) => at !== index && other.name.split(".").slice(-count).join(".") === end)) return end;
    }
    return column.name;
  });

  const broken = (label) => label.split(/(?<=\.)/).flatMap((part) => [element("wbr"), part]);

  const kinds = columns.map((_, index) => {
    const values = items.map((item) => item.values[index]).filter((value) => value !== null);
    const distinct = new Set(values);
    let low = Infinity, high = -Infinity;
    const numeric = values.every((value) => typeof value === "number");
    if (numeric) for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
    return { numeric, distinct, low, high, varies: distinct.size + (values.length < items.length && values.length ? 1 : 0) > 1 };
  });

  // --- what is shown, in which order -----------------------------------------------------------------------------------------------

  const searched = items.map((item) => [item.name, item.score, item.description, ...item.values.filter((value) => typeof value === "string")]
    .join("\n").toLowerCase());

  function fits(index) {
    const item = items[index];
    if (state.text && !searched[index].includes(state.text)) return false;
    if (state.flag && !flagsOf(item).includes(state.flag)) return false;
    for (const [column, filter] of state.filters) {
      const value = item.values[column];
      if (filter.choice !== undefined) { if (String(value) !== filter.choice) return false; }
      else if (filter.word !== undefined) { if (value === null || !String(value).toLowerCase().includes(filter.word)) return false; }
      else if (value === null || value < filter.low || value > filter.high) return false;
    }
    return true;
  }

  const collator = new Intl.Collator(undefined, { numeric: true });
  function before(a, b) {
    if (state.sort < 0) return state.down ? b - a : a - b;
    const one = items[a].values[state.sort], other = items[b].values[state.sort];
    if (one === null || other === null) return (one === null) - (other === null) || a - b;     // items without a value are last in both directions
    const order = typeof one === "number" && typeof other === "number" ? one - other : collator.compare(String(one), String(other));
    return (state.down ? -order : order) || a - b;
  }

  function renew() {
    state.shown = items.map((_, index) => index).filter(fits).sort(before);
    detail.remove();
    list.replaceChildren();
    rows.clear();
    state.built = 0;
    build(STEP);
    by("none").hidden = state.shown.length > 0;
    by("count").textContent = state.shown.length === items.length ? many(items.length) : `${state.shown.length} of ${many(items.length)}`;
    by("reset").hidden = !(state.text || state.flag || state.filters.size);
    by("sort").value = String(state.sort);
    by("direction").textContent = state.down ? "↓" : "↑";
    by("direction").title = state.down ? "the greatest first" : "the least first";
    for (const button of by("head").querySelectorAll("button")) button.classList.toggle("sorted", Number(button.dataset.column) === state.sort);
    place();
    mark();
  }

  function build(count) {
    const end = Math.min(state.shown.length, state.built + count), added = document.createDocumentFragment();
    for (; state.built < end; state.built += 1) added.append(row(state.shown[state.built]));
    list.append(added);
  }

  // --- levels ------------------------------------------------------------------------------------------------------------------------

  // a picture of a waveform fills its height; on one scale its height is relative to that of the loudest sound
  const LEAST = 0.02;                   // of the height: silence is still visible, as a line
  const loudest = items.reduce((most, item) => item.wave ? Math.max(most, item.top) : most, 0);
  const part = (item) => loudest > 0 ? item.top / loudest : 1;
  const decibels = (level) => level > 0 ? `${number(20 * Math.log10(level), 3)} dB` : "silence";

  const failed = items.filter((item) => item.error).length, seconds = items.reduce((sum, item) => sum + (item.seconds ?? 0), 0);
  const time = seconds < 60 ? `${number(seconds, 3)} s` : `${number(seconds / 60, 3)} min`;
  const total = `${many(items.length)}, ${time} in all${failed ? `, ${failed} failed` : ""}`;

  function scale(one) {
    state.oneScale = one;
    document.body.classList.toggle("one-scale", one);
    by("scale").setAttribute("aria-pressed", String(one));
    const waves = one ? `waveforms have one scale: the height is that of the loudest, ${decibels(loudest)} of full scale`
      : "each waveform fills its height, whatever its level";
    by("summary").textContent = `${total}; ${waves}; spectrograms reach from 0 to ${-data.range} dB of full scale`;
    if (state.chosen >= 0) show(state.chosen);
  }

  // --- rows --------------------------------------------------------------------------------------------------------------------------

  const varied = columns.map((_, index) => index).filter((index) => kinds[index].varies);
  const parameters = varied.filter((index) => columns[index].kind === "parameter");
  const useful = ["length", "peak", "T60", "centroid"].map((name) => columns.findIndex((column) => column.name === name && column.kind === "measure"))
    .filter((index) => index >= 0 && (varied.includes(index) || items.length === 1 && kinds[index].distinct.size));
  const FEWER = 4, MOST = 6;
  const cells = [...parameters.slice(0, MOST - Math.min(2, useful.length)), ...useful].slice(0, MOST);
  const wide = (place) => place >= FEWER ? " wide" : "";
  document.body.style.setProperty("--columns", Math.max(1, cells.length));
  document.body.style.setProperty("--fewer", Math.max(1, Math.min(FEWER, cells.length)));

  function icon() {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    for (const [name, d] of [["go", "M4 2.5v11l9-5.5z"], ["halt", "M4 3h3v10H4zM9 3h3v10H9z"]]) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", d);
      path.setAttribute("class", name);
      svg.append(path);
    }
    return svg;
  }

  const marks = (item) => flagsOf(item).map((flag) => element("span", { class: flag === "failed" ? "flag failed" : "flag", title: FLAGS[flag] ?? "" }, flag));

  function picture(index, kind, lazy) {
    const item = items[index];
    const box = element("span", { class: `picture ${kind}`, onclick: (event) => {
      const { left, width } = box.getBoundingClientRect();
      seek(index, (event.clientX - left) / width);
    } });
    const image = element("img", { src: item[kind], alt: `${kind} of ${item.name}`, loading: lazy ? "lazy" : "eager",
      decoding: "async", draggable: "false" });
    box.append(image);
    if (kind === "wave") {
      image.style.setProperty("--part", Math.max(part(item), LEAST));
      if (lazy) box.append(element("span", { class: "peak" }, decibels(item.top)));
    }
    return box;
  }

  function row(index) {
    const item = items[index];
    const start = element("button", { type: "button", class: "start", "aria-label": `play ${item.name}`, disabled: !item.sound,
      onclick: () => { toggle(index); start.blur(); } }, icon());
    const name = element("span", { class: "name" }, item.name);
    if (item.description) name.append(element("span", { class: "said" }, item.description.split("\n")[0]));
    const flags = marks(item);
    if (flags.length) name.append(element("span", { class: "said" }, ...flags));
    const values = element("span", { class: "values" }, ...cells.map((column, at) => {
      const text = shownValue(item.values[column]);
      return element("span", { class: `value${text === "" ? " empty" : ""}${wide(at)}` },
        element("span", { class: "key" }, `${labels[column]} `), text,
        element("span", { class: "key" }, columns[column].unit ? ` ${columns[column].unit}` : ""));
    }));
    const line = element("div", { class: "row", onclick: () => choose(index) }, start, name,
      item.wave ? picture(index, "wave", true) : element("span"), values);
    const node = element("li", { "data-index": index }, line);
    rows.set(index, node);
    return node;
  }

  function header() {
    const button = (column, text, unit, title, more) => element("button", { type: "button", "data-column": column, title, class: more,
      onclick: () => sortBy(column) }, ...broken(text), ...(unit ? [element("small", {}, unit)] : []));
    by("head").append(element("span"), button(-1, "name", "", "in the order of the folder", ""), element("span"),
      ...cells.map((column, at) => button(column, labels[column], columns[column].unit, `sort by ${columns[column].name}`, wide(at).trim())));
    by("sort").append(element("option", { value: -1 }, "name"), ...varied.map((column) =>
      element("option", { value: column }, columns[column].unit ? `${columns[column].name} (${columns[column].unit})` : columns[column].name)));
  }

  function sortBy(column) {
    state.down = state.sort === column && !state.down;
    state.sort = column;
    renew();
  }

  // --- filters -----------------------------------------------------------------------------------------------------------------------

  function field(column) {
    const kind = kinds[column], { unit, name } = columns[column];
    const box = element("div", { class: "field", role: "group", "aria-label": name },
      element("span", { class: "label", title: name }, unit ? `${labels[column]} (${unit})` : labels[column]));
    const put = (filter) => {
      if (filter === null) state.filters.delete(column); else state.filters.set(column, filter);
      box.classList.toggle("active", filter !== null);
      renew();
    };
    if (kind.numeric) {
      const ends = ["low", "high"].map((end) => element("input", { type: "number", step: "any", placeholder: number(kind[end]), "data-end": end,
        "aria-label": `${end === "low" ? "least" : "greatest"} ${name}` }));
      for (const end of ends) end.addEventListener("input", () => {
        const [low, high] = ends.map((input) => input.value === "" ? NaN : Number(input.value));
        put(Number.isNaN(low) && Number.isNaN(high) ? null : { low: Number.isNaN(low) ? -Infinity : low, high: Number.isNaN(high) ? Infinity : high });
      });
      box.append(ends[0], "–", ends[1]);
    } else if (kind.distinct.size <= FEW) {
      const choice = element("select", { "aria-label": name, onchange: () => put(choice.value === "" ? null : { choice: choice.value.slice(1) }) },
        element("option", { value: "" }, "any"),
        ...[...kind.distinct].sort((a, b) => collator.compare(String(a), String(b))).map((text) => element("option", { value: `=${text}` }, String(text))));
      box.append(choice);
    } else {
      const word = element("input", { type: "text", placeholder: "has", "aria-label": name,
        oninput: () => put(word.value === "" ? null : { word: word.value.toLowerCase() }) });
      box.append(word);
    }
    box.dataset.column = column;
    return box;
  }

  function filters() {
    const first = parameters.slice(0, 4), others = varied.filter((column) => !first.includes(column));
    (matchMedia("(max-width: 719px)").matches ? by("others") : by("fields")).append(...first.map(field));
    by("others").append(...others.map(field));
    by("more").hidden = !by("others").childElementCount;
    if (!by("fields").childElementCount) by("more").querySelector("summary").textContent = "filters";
    for (const flag of Object.keys(FLAGS)) {
      const count = items.filter((item) => flagsOf(item).includes(flag)).length;
      if (!count) continue;
      const button = element("button", { type: "button", title: FLAGS[flag], "aria-pressed": "false", "data-flag": flag, onclick: () => {
        state.flag = state.flag === flag ? "" : flag;
        for (const other of by("flags").children) other.setAttribute("aria-pressed", String(other.dataset.flag === state.flag));
        renew();
      } }, `${flag} ${count}`);
      by("flags").append(button);
    }
  }

  function reset() {
    state.text = state.flag = by("search").value = "";
    state.filters.clear();
    for (const input of document.querySelectorAll(".field input, .field select")) input.value = "";
    for (const box of document.querySelectorAll(".field.active")) box.classList.remove("active");
    for (const button of by("flags").children) button.setAttribute("aria-pressed", "false");
    renew();
  }

  // --- the chosen sound --------------------------------------------------------------------------------------------------------------

  function axis(texts, kind) {
    return element("span", { class: `axis ${kind}` }, ...texts.map(([part, text]) => {
      const label = element("span", { class: part <= 0 ? "first" : part >= 1 ? "last" : "" }, text);
      if (kind === "time") label.style.left = `${100 * part}%`; else label.style.top = `${100 * (1 - part)}%`;
      return label;
    }));
  }

  function ticks(top, unit, most) {
    const step = [1, 2, 5].flatMap((one) => [-3, -2, -1, 0, 1, 2, 3, 4].map((power) => one * 10 ** power)).sort((a, b) => a - b).find((one) => top / one <= most) ?? top;
    const found = [];
    for (let value = 0; value <= top * 1.0001; value += step) found.push([value / top > 0.985 ? 1 : value / top, number(value, 3)]);
    found[found.length - 1][1] += ` ${unit}`;
    return found;
  }

  function plots(index) {
    const item = items[index], box = element("div", { class: "plot" });
    const high = state.oneScale ? part(item) : 1, levels = [[0.5, "0"]];
    if (high < 0.8) levels.push([1, decibels(loudest)]);
    if (high > 0.3) levels.push([high > 0.95 ? 1 : 0.5 + 0.5 * high, decibels(item.top)]);
    box.append(axis(levels, "level"), picture(index, "wave", false),
      axis(ticks(item.highest / 1000, "kHz", 5), "frequency"), picture(index, "spectrogram", true));
    if (item.energies) box.append(element("span", { class: "legend" }, ...data.lines.map(([name, colour]) => {
      const label = element("span", {}, name);
      label.style.color = colour;
      return label;
    })), picture(index, "energies", true));
    box.append(axis(ticks(item.seconds, "s", 8), "time"));
    return box;
  }

  function table(item) {
    const body = element("tbody");
    columns.forEach((column, at) => {
      const value = item.values[at];
      if (value === null) return;
      body.append(element("tr", {}, element("th", { scope: "row" }, column.name),
        element("td", { title: String(value) }, shownValue(value, 7), column.unit ? ` ${column.unit}` : "")));
    });
    return element("table", {}, body);
  }

  // lines break between words only; the copied text is unchanged
  const words = (command) => command.split(/( +)/).map((part) => part.trim() ? element("span", {}, part) : part);

  function show(index) {
    const item = items[index], parts = [element("h2", {}, item.name)];
    if (item.score) parts.push(element("p", { class: "quiet" }, item.score === "-" ? "score from standard input" : item.score));
    const flags = marks(item);
    if (flags.length) parts.push(element("p", {}, ...flags));
    if (item.error) parts.push(element("p", { class: "failure" }, item.error));
    if (item.wave) parts.push(plots(index));
    if (item.wave && !item.energies) parts.push(element("p", { class: "quiet" }, "no energies recorded"));
    if (item.description) parts.push(element("p", { class: "description" }, item.description));
    parts.push(element("h3", {}, "the command that makes it"));
    if (item.command) parts.push(element("div", { class: "command" }, element("code", {}, ...words(item.command)), element("button", { type: "button", onclick: copy }, "copy")));
    else parts.push(element("p", { class: "quiet" }, item.error ? "none: it failed" : "unknown: the sound has no sidecar with its options"));
    parts.push(element("h3", {}, "values"), table(item));
    detail.replaceChildren(...parts);
    detail.scrollTop = 0;
  }

  function copy() {
    const code = detail.querySelector("code"), button = detail.querySelector(".command button");
    if (!code) return;
    const report = (text) => { button.textContent = text; setTimeout(() => { button.textContent = "copy"; }, 1500); };
    const select = () => { getSelection().selectAllChildren(code); report(document.execCommand("copy") ? "copied" : "press Ctrl-C"); };
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(() => report("copied"), select); else select();
  }

  function place() {                    // beside the list, or in a narrow window under its row
    const home = rows.get(state.chosen);
    if (!narrow.matches) document.querySelector("main").append(detail);
    else if (home) home.append(detail);
    for (const other of rows.values()) other.classList.toggle("open", narrow.matches && other === home);
  }

  function choose(index, scroll = false) {
    state.chosen = index;
    show(index);
    const at = state.shown.indexOf(index);
    if (at >= state.built) build(at - state.built + STEP);
    place();
    mark();
    const line = rows.get(index)?.firstElementChild;
    if (scroll && line) {
      const { top, bottom } = line.getBoundingClientRect(), ceiling = by("list").closest("main").offsetTop - scrollY;
      const covered = Math.max(ceiling, document.querySelector(".bar").getBoundingClientRect().bottom) + 8;
      const floor = innerHeight - document.querySelector(".player").offsetHeight - 8;
      if (top < covered) scrollBy(0, top - covered); else if (bottom > floor) scrollBy(0, bottom - floor);
    }
  }

  // --- playing -----------------------------------------------------------------------------------------------------------------------

  function load(index) {
    if (state.playing === index) return;
    state.playing = index;
    audio.src = items[index].sound;
    by("now").textContent = items[index].name;
  }

  function start(index) {
    if (!items[index].sound) return;
    choose(index, true);
    load(index);
    audio.play().catch(() => {});       // the event "error" reports it
  }

  function toggle(index) {
    if (index < 0) index = state.shown.find((one) => items[one].sound) ?? -1;
    if (index < 0) return;
    if (index === state.playing && !audio.paused) audio.pause(); else start(index);
  }

  function seek(index, part) {
    if (!items[index].sound) return;
    start(index);
    const go = () => { audio.currentTime = part * audio.duration; };
    if (Number.isFinite(audio.duration) && audio.readyState > 0) go(); else audio.addEventListener("loadedmetadata", go, { once: true });
  }

  function move(step, play) {
    const at = state.shown.indexOf(state.chosen);
    for (let next = at < 0 ? (step > 0 ? 0 : -1) : at + step; next >= 0 && next < state.shown.length; next += step) {
      const index = state.shown[next];
      if (!play) { choose(index, true); return; }
      if (items[index].sound) { start(index); return; }
    }
  }

  function mark() {
    for (const [index, line] of rows) {
      line.classList.toggle("chosen", index === state.chosen);
      line.classList.toggle("playing", index === state.playing && !audio.paused);
    }
    document.querySelector(".player").classList.toggle("playing", !audio.paused);
    by("play").setAttribute("aria-label", audio.paused ? "play" : "pause");
    heads();
  }

  let headed = [];
  function heads() {
    const part = audio.duration > 0 ? audio.currentTime / audio.duration : 0;
    for (const box of headed) box.style.setProperty("--seen", 0);
    headed = state.playing < 0 ? [] : [rows.get(state.playing), state.playing === state.chosen ? detail : null].filter(Boolean);
    for (const box of headed) { box.style.setProperty("--at", part); box.style.setProperty("--seen", 1); }
    if (detail.parentElement && state.playing !== state.chosen) detail.style.setProperty("--seen", 0);
  }

  function tick() {
    heads();
    if (!audio.paused) requestAnimationFrame(tick);
  }

  audio.addEventListener("play", () => { mark(); tick(); });
  audio.addEventListener("pause", mark);
  audio.addEventListener("seeked", heads);
  audio.addEventListener("ended", () => { if (by("on").checked) move(1, true); else mark(); });
  audio.addEventListener("error", () => { if (state.playing >= 0) by("now").textContent = `${items[state.playing].name}: this browser cannot play it`; });

  // --- light and dark, keys ----------------------------------------------------------------------------------------------------------

  const KEPT = "pysitar-gallery-theme";
  function theme(name) { document.documentElement.dataset.theme = name; }
  function turn() {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    theme(dark ? "light" : "dark");
    try { localStorage.setItem(KEPT, document.documentElement.dataset.theme); } catch { /* not kept */ }
  }
  try { const kept = localStorage.getItem(KEPT); if (kept === "light" || kept === "dark") theme(kept); } catch { /* nothing is kept */ }

  const keys = {
    " ": () => toggle(state.chosen), j: () => move(1, false), arrowdown: () => move(1, false), k: () => move(-1, false),
    arrowup: () => move(-1, false), n: () => move(1, true), p: () => move(-1, true), c: copy, t: turn,
    s: () => scale(!state.oneScale),
    a: () => { by("on").checked = !by("on").checked; }, "/": () => by("search").focus(),
  };
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key === "Escape") target.blur();
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input:not([type=checkbox]), select, audio")) return;
    if (event.key === " " && target.closest("button, summary, input")) return;
    const action = keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // --- begin -------------------------------------------------------------------------------------------------------------------------

  scale(true);
  header();
  filters();
  by("search").addEventListener("input", () => { state.text = by("search").value.trim().toLowerCase(); renew(); });
  by("sort").addEventListener("change", () => { state.sort = Number(by("sort").value); state.down = false; renew(); });
  by("direction").addEventListener("click", () => { state.down = !state.down; renew(); });
  by("theme").addEventListener("click", turn);
  by("scale").addEventListener("click", () => scale(!state.oneScale));
  by("reset").addEventListener("click", reset);
  by("again").addEventListener("click", reset);
  by("play").addEventListener("click", () => toggle(state.chosen));
  by("next").addEventListener("click", () => move(1, !audio.paused));
  by("previous").addEventListener("click", () => move(-1, !audio.paused));
  narrow.addEventListener("change", place);
  new ResizeObserver(([entry]) => document.body.style.setProperty("--bar", `${entry.target.offsetHeight}px`)).observe(document.querySelector(".bar"));
  addEventListener("scroll", () => {
    if (state.built < state.shown.length && innerHeight + scrollY > document.body.scrollHeight - 2000) build(STEP);
  }, { passive: true });
  renew();
  if (!narrow.matches && state.shown.length) choose(state.shown[0]);
})();
