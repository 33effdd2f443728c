"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const MOST_KEPT = 300000, MOST_SHOWN = 300, MOST_EVENTS = 200, MOST_TOKENS = 6;
  const LISTS_EVERY = 200; // lists change at most so often, in milliseconds
  const recording = byId("recording").textContent.trim();
  const isRecording = recording !== "";
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // ---- what is known: frames, and what they add up to ----
  const frames = [];
  let base = fresh(); // what frames that are no longer kept add up to
  let board = fresh();
  let shown = 0; // how many frames the board consists of
  let isLive = true; // follows the last frame
  let chosen = 0, slice = null, filter = "";

  function fresh() {
    return { name: "", properties: [], rows: [], unlisted: [], events: [], verdicts: [], texts: [],
             checkpoints: [], selected: null, status: { state: "stopped", text: "" }, time: 0, over: false };
  }

  function apply(frame, board) {
    board.time = frame.time;
    if (frame.name) board.name = frame.name;
    if (frame.properties) {
      board.properties = frame.properties;
      board.rows = frame.properties.map(() => new Map());
      board.unlisted = frame.properties.map(() => 0);
    }
    for (const part of frame.rows || []) {
      if (part.replace) board.rows[part.property] = new Map();
      board.unlisted[part.property] = part.unlisted;
      const rows = board.rows[part.property];
      for (const [binding, state, variables, moves] of part.changed)
        rows.set(binding, { binding, state, variables, moves });
    }
    for (const event of frame.events || []) board.events.push(event);
    if (board.events.length > MOST_EVENTS) board.events.splice(0, board.events.length - MOST_EVENTS);
    for (const verdict of frame.verdicts || []) board.verdicts.push(verdict);
    for (const text of frame.texts || []) board.texts.push(text);
    if (board.texts.length > 200) board.texts.splice(0, board.texts.length - 200);
    for (const checkpoint of frame.checkpoints || []) board.checkpoints.push(checkpoint);
    if (frame.forgotten) board.checkpoints = board.checkpoints.filter((c) => !frame.forgotten.includes(c.number));
    if (frame.status) board.status = frame.status;
    if (frame.selected) board.selected = frame.selected;
    if (frame.over) board.over = true;
  }

  function take(frame) {
    frames.push(frame);
    kept += weight(frame);
    if (kept > MOST_KEPT) forget();
    if (!isLive) { later(null); return; }
    apply(frame, board);
    shown = frames.length;
    later(frame);
  }

  // How much a frame weighs: a frame of a busy program has hundreds of events.
  let kept = 0;
  const weight = (frame) => 1 + (frame.events || []).length
    + (frame.rows || []).reduce((sum, part) => sum + part.changed.length, 0);

  // The older half is no longer kept frame by frame.
  function forget() {
    let count = 0;
    while (kept > MOST_KEPT / 2 && count < frames.length - 1) {
      apply(frames[count], base);
      kept -= weight(frames[count]);
      count += 1;
    }
    frames.splice(0, count);
    shown = Math.max(0, shown - count);
    marked = Infinity;
  }

  // Frames are drawn with the next picture of the browser, several at once if need be.
  let waiting = null, moving = [], lists = 0, listTimer = null;
  function later(frame) {
    if (frame) {
      moving.push(...(frame.events || []).slice(-MOST_TOKENS));
      const what = waiting || {};
      for (const part of ["name", "properties", "events", "verdicts", "texts", "checkpoints", "forgotten", "selected", "status", "rows"])
        what[part] ||= part in frame;
      waiting = what;
    }
    if (drawTimer !== null) return;
    // A page that is not seen gets no pictures, but is up to date when somebody looks.
    drawTimer = setTimeout(drawNow, 400);
    requestAnimationFrame(drawNow);
  }
  let drawTimer = null;
  function drawNow() {
    if (drawTimer === null) return;
    clearTimeout(drawTimer);
    drawTimer = null;
    const what = waiting;
    waiting = null;
    const moves = moving.slice(-MOST_TOKENS);
    moving = [];
    if (what) draw(what, moves); else scrubber();
  }

  function goTo(count) {
    board = structuredClone(base);
    for (let i = 0; i < count; i++) apply(frames[i], board);
    shown = count;
    draw(null);
  }

  // The property that is looked at.
  function property() {
    const it = board.properties[chosen];
    return it && !it.gone ? it : undefined;
  }

  // ---- drawing ----
  let drawn = null; // the picture that is on the page
  function draw(frame, moves) {
    // One that is no longer watched stays in the list for the sake of its events only.
    if (!property()) chosen = Math.max(0, board.properties.findIndex((p) => !p.gone));
    status();
    if (!frame || frame.properties) { properties(); drawn = null; }
    picture();
    if (moves) tokens(moves);
    if (!frame || frame.properties) { table(); events(); } else if (frame.rows || frame.events) someLists();
    if (!frame || frame.verdicts) verdicts();
    if (!frame || frame.texts) texts();
    if (!frame || frame.checkpoints || frame.forgotten) checkpoints();
    if (!frame || frame.selected || frame.status) variables();
    scrubber();
  }

  // Long lists are not redrawn with every picture.
  function someLists() {
    if (listTimer !== null) return;
    const wait = Math.max(0, lists + LISTS_EVERY - performance.now());
    listTimer = setTimeout(() => {
      listTimer = null;
      lists = performance.now();
      table();
      events();
    }, wait);
  }

  function status() {
    const { state, text } = board.status;
    document.body.className = board.over ? "exited" : state;
    if (byId("name").textContent !== board.name) {
      byId("name").textContent = board.name;
      document.title = board.name ? `${board.name} · Watchword` : "Watchword";
    }
    const words = text ? text.split("\n").join(" · ") : state;
    byId("state").textContent = board.over && state !== "exited" ? "the session has ended" : words;
    byId("state").title = text;
    const isStopped = state === "stopped" && !board.over;
    for (const button of document.querySelectorAll("#controls button")) {
      const isPause = button.dataset.request === "interrupt";
      button.disabled = isPause ? state !== "running" || board.over : !isStopped;
    }
    byId("checkpoints").disabled = !isStopped;
  }

  function properties() {
    const select = byId("property");
    const options = board.properties.flatMap((p, i) => {
      if (p.gone) return [];
      const option = make("option", "", p.name);
      option.value = i;
      return [option];
    });
    select.replaceChildren(...options);
    select.value = chosen;
    select.hidden = options.length < 2;
  }

  function picture() {
    const graph = byId("graph");
    const it = property();
    if (!it) {
      if (drawn !== "none") graph.replaceChildren(make("p", "empty", "No property is loaded."));
      drawn = "none";
      return;
    }
    if (drawn !== it) {
      // The picture is made by the server, with every name escaped; a parser that runs nothing reads it.
      const parsed = new DOMParser().parseFromString(it.svg, "text/html");
      const svg = parsed.querySelector("svg");
      graph.replaceChildren(svg || make("p", "empty", parsed.body.textContent));
      // It fills the room there is, but small ones do not become huge.
      if (svg) svg.style.maxWidth = `${1.7 * (svg.viewBox.baseVal.width || 400)}px`;
      drawn = it;
    }
    const nodes = [...graph.querySelectorAll(".ww-node")];
    const rows = board.rows[chosen];
    const row = slice === null ? undefined : rows.get(slice);
    const counts = it.states.map(() => 0);
    for (const one of rows.values()) if (one.state !== null) counts[one.state] += 1;
    nodes.forEach((node, i) => {
      node.classList.toggle("ww-lit", row ? row.state === i : counts[i] > 0);
      tally(node, row ? 0 : counts[i] || 0);
    });
    const variables = row && row.variables ? ` [${row.variables}]` : "";
    byId("legend").textContent = row
      ? `${row.binding || "(nothing bound)"}: ${row.state === null ? "ended" : it.states[row.state]}${variables}`
      : `${it.name}: how many slices are in each state`
        + (board.unlisted[chosen] ? `; ${board.unlisted[chosen]} are not counted` : "");
    const canSet = row && row.state !== null && isLive && !byId("controls").hidden && board.status.state === "stopped" && !board.over;
    byId("setting").hidden = !canSet;
    const states = byId("states");
    if (canSet && states.dataset.of !== it.name) {
      states.replaceChildren(...it.states.map((name) => make("option", "", name)));
      states.dataset.of = it.name;
    }
  }

  const SVG = "http://www.w3.org/2000/svg";
  function tally(node, count) {
    let group = node.querySelector(".ww-tally-group");
    if (!count) { if (group) group.remove(); return; }
    const box = node.querySelector(".ww-box");
    if (!group) {
      group = document.createElementNS(SVG, "g");
      group.setAttribute("class", "ww-tally-group");
      const pill = document.createElementNS(SVG, "rect");
      pill.setAttribute("class", "ww-tally-box");
      const text = document.createElementNS(SVG, "text");
      text.setAttribute("class", "ww-tally");
      group.append(pill, text);
      node.append(group);
    }
    const [pill, text] = group.children;
    const label = count > 9999 ? "9999+" : String(count);
    const width = 10 + 7 * label.length;
    const right = Number(box.getAttribute("x")) + Number(box.getAttribute("width"));
    const top = Number(box.getAttribute("y"));
    for (const [name, value] of Object.entries({ x: right - width / 2, y: top - 9, width, height: 18, rx: 9 }))
      pill.setAttribute(name, value);
    text.setAttribute("x", right);
    text.setAttribute("y", top + 4);
    text.textContent = label;
  }

  // ---- moves, as tokens that run along the arrows ----
  function tokens(list) {
    const it = property();
    if (!it || calm.matches || document.hidden) return;
    const edges = [...byId("graph").querySelectorAll(".ww-edge")];
    const mine = list.filter((e) => e.property === chosen && (slice === null || e.binding === slice));
    // A merged frame has many; the last ones are shown.
    for (const event of mine.slice(-MOST_TOKENS)) {
      const at = it.edges.findIndex(([from, to]) => from === event.from && to === event.to);
      if (at < 0 || !edges[at]) continue;
      run(edges[at]);
    }
  }

  function run(edge) {
    const path = edge.querySelector(".ww-line");
    const length = path.getTotalLength();
    const token = document.createElementNS(SVG, "circle");
    token.setAttribute("class", "ww-token");
    token.setAttribute("r", 6);
    edge.append(token);
    edge.classList.add("ww-moved");
    const begun = performance.now();
    const frame = (now) => {
      const part = Math.min(1, (now - begun) / 450);
      const point = path.getPointAtLength(part * length);
      token.setAttribute("cx", point.x);
      token.setAttribute("cy", point.y);
      if (part < 1 && token.isConnected) { requestAnimationFrame(frame); return; }
      token.remove();
      if (!edge.querySelector(".ww-token")) edge.classList.remove("ww-moved");
    };
    requestAnimationFrame(frame);
  }

  // ---- slices ----
  // A state as a small box, in the colour of its kind.
  function chip(property, state, none) {
    if (state === null || !property) return make("span", "chip none", none);
    return make("span", `chip ${property.kinds[state]}`, property.states[state]);
  }

  function table() {
    const it = property();
    const body = byId("rows");
    if (!it) { body.replaceChildren(); byId("count").textContent = ""; return; }
    const words = filter.toLowerCase();
    const fits = (row) => !words || row.binding.toLowerCase().includes(words)
      || row.variables.toLowerCase().includes(words)
      || (row.state !== null && it.states[row.state].toLowerCase().includes(words));
    let hasVariables = false;
    const all = [...board.rows[chosen].entries()].filter(([, row]) => fits(row));
    const some = all.slice(0, MOST_SHOWN);
    // Rows that are there already are changed in place, so that the focus stays.
    while (body.children.length > some.length) body.lastChild.remove();
    some.forEach(([binding, row], i) => {
      let line = body.children[i];
      if (!line) {
        line = make("tr");
        line.tabIndex = 0;
        line.append(make("td"), make("td"), make("td"), make("td"));
        body.append(line);
      }
      line.dataset.slice = binding;
      line.className = row.state === null ? "ended" : "";
      line.setAttribute("aria-selected", String(slice === binding));
      hasVariables ||= row.variables !== "";
      const state = `${chosen} ${row.state}`;
      if (line.dataset.state !== state) {
        line.dataset.state = state;
        line.children[1].replaceChildren(chip(it, row.state, "ended"));
      }
      const texts = [row.binding || "(nothing bound)", null, row.variables, String(row.moves)];
      texts.forEach((text, n) => {
        if (text !== null && line.children[n].textContent !== text) line.children[n].textContent = text;
      });
    });
    byId("instances").classList.toggle("plain", !hasVariables);
    // Nobody knows which of those that are not here would fit.
    const total = all.length + (words ? 0 : board.unlisted[chosen]);
    const hidden = all.length - some.length + board.unlisted[chosen];
    byId("count").textContent = `${total} slice${total === 1 ? "" : "s"}`
      + (hidden > 0 ? `, ${hidden} not listed` : "");
  }

  function choose(binding) {
    slice = slice === binding ? null : binding;
    picture();
    table();
  }

  // ---- events, verdicts, messages ----
  function events() {
    const last = board.events.slice().reverse();
    byId("events").replaceChildren(...last.map((event) => {
      const property = board.properties[event.property];
      const line = make("li");
      const where = make("span", "where");
      where.append(chip(property, event.from, "?"), " → ", chip(property, event.to, "dropped"));
      line.append(make("span", "index", String(event.index)),
                  make("span", "what", event.event || "(time passed)"), where);
      line.title = `${property ? property.name : ""} ${event.binding}`;
      line.dataset.property = event.property;
      line.dataset.slice = event.binding;
      return line;
    }));
    if (!last.length) byId("events").replaceChildren(make("p", "empty", "Nothing has moved yet."));
  }

  function verdicts() {
    byId("found").textContent = board.verdicts.length ? String(board.verdicts.length) : "";
    byId("findings").classList.toggle("bad", board.verdicts.some((v) => v.violation));
    if (!board.verdicts.length) {
      byId("verdicts").replaceChildren(make("p", "empty", "None so far."));
      return;
    }
    byId("verdicts").replaceChildren(...board.verdicts.slice(-100).reverse().map((v) => {
      const box = make("article", v.violation ? "verdict" : "verdict good");
      box.append(make("h3", "", `${v.property}: ${v.message}`));
      if (v.place) box.append(make("p", "soft", v.place));
      if (v.binding) box.append(make("p", "", v.binding));
      const details = make("details");
      details.append(make("summary", "", "How it came about"));
      const lines = v.history.map(([event, state]) => `${event} → ${state}`);
      details.append(make("pre", "", lines.concat(v.stack.map((f, i) => `#${i} ${f}`)).join("\n")));
      box.append(details);
      return box;
    }));
  }

  function texts() {
    const log = byId("texts");
    log.replaceChildren(...board.texts.map((t) => make("pre", t.level, t.text)));
    log.scrollTop = log.scrollHeight;
  }

  function checkpoints() {
    const select = byId("checkpoints");
    select.replaceChildren(...board.checkpoints.map((c) => {
      const option = make("option", "", `${c.number}${c.label ? ` ${c.label}` : ""}: ${c.place}`);
      option.value = c.number;
      return option;
    }));
    if (board.checkpoints.length) select.value = board.checkpoints[board.checkpoints.length - 1].number;
    select.hidden = !board.checkpoints.length;
    marks();
  }

  function variables() {
    const isStopped = board.status.state === "stopped" && !board.over;
    const { place, variables } = isStopped && board.selected ? board.selected : { place: "", variables: [] };
    // A log has no frames.
    byId("frame").hidden = byId("controls").hidden && !board.selected;
    byId("where").textContent = place;
    byId("variables").replaceChildren(...variables.map(([name, value]) => {
      const line = make("tr");
      line.append(make("td", "", name), make("td", "", value));
      return line;
    }));
  }

  // ---- time ----
  let marked = 0; // frames that were searched for checkpoints
  let checkpointed = []; // after how many frames a checkpoint was there
  function marks() {
    // Frames were forgotten, or come again.
    if (marked > frames.length) { marked = 0; checkpointed = []; }
    for (; marked < frames.length; marked++)
      for (const made of frames[marked].checkpoints || []) checkpointed.push([marked + 1, made]);
    const most = Math.max(1, frames.length);
    byId("marks").replaceChildren(...checkpointed.slice(-50).map(([count, made]) => {
      const button = make("button", "", String(made.number));
      button.title = `Checkpoint ${made.number}${made.label ? ` ${made.label}` : ""}: ${made.place}`;
      button.style.left = `${(100 * count) / most}%`;
      button.addEventListener("click", () => scrubTo(count));
      return button;
    }));
  }

  // How much happened when, as bars; red where a verdict was reached.
  function density() {
    const canvas = byId("density");
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale];
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const bins = Math.max(1, Math.min(Math.floor(canvas.clientWidth / 4), frames.length));
    const counts = new Array(bins).fill(0), bad = new Array(bins).fill(false);
    frames.forEach((frame, i) => {
      const bin = Math.floor((i * bins) / frames.length);
      counts[bin] += (frame.events || []).length;
      if (frame.verdicts) bad[bin] = true;
    });
    const most = Math.log2(2 + Math.max(...counts));
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const [bar, red] = [colour("--bar"), colour("--bad")];
    const paint = canvas.getContext("2d");
    paint.clearRect(0, 0, width, height);
    const wide = width / bins;
    const gap = wide > 6 ? scale : 0;
    counts.forEach((count, i) => {
      const tall = count ? Math.max(2 * scale, (height * Math.log2(1 + count)) / most) : 0;
      paint.fillStyle = bar;
      paint.fillRect(i * wide, height - tall, Math.min(wide - gap, 24 * scale), tall);
      if (!bad[i]) return;
      paint.fillStyle = red;
      paint.fillRect(i * wide, 0, Math.max(2 * scale, Math.min(wide - gap, 4 * scale)), height);
    });
  }

  // The time line is not redrawn with every picture, but the last frame is always on it.
  let lastLine = -Infinity, lineTimer = null;
  function timeLine() {
    clearTimeout(lineTimer);
    lineTimer = null;
    lastLine = performance.now();
    marks();
    density();
  }

  function scrubber() {
    if (performance.now() - lastLine > 500 || marked > frames.length) timeLine();
    else if (lineTimer === null) lineTimer = setTimeout(timeLine, 500);
    byId("live").hidden = isLive || isRecording;
    const scrub = byId("scrub");
    scrub.max = frames.length;
    scrub.value = isLive ? frames.length : shown;
    const seconds = (board.time / 1000).toFixed(1);
    byId("time").textContent = isLive ? `${seconds} s` : `${seconds} s of ${((frames.at(-1)?.time ?? 0) / 1000).toFixed(1)}`;
  }

  function scrubTo(count) {
    isLive = count === frames.length;
    goTo(count);
  }
  byId("scrub").addEventListener("input", (event) => scrubTo(Number(event.target.value)));
  byId("live").addEventListener("click", () => scrubTo(frames.length));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", density);
  addEventListener("resize", density);

  // ---- the person ----
  byId("property").addEventListener("change", (event) => {
    chosen = Number(event.target.value);
    slice = null;
    draw(null);
  });
  byId("filter").addEventListener("input", (event) => { filter = event.target.value; table(); });
  byId("events").addEventListener("click", (event) => {
    const line = event.target.closest("li");
    const meant = line && board.properties[line.dataset.property];
    if (!meant || meant.gone) return;
    chosen = Number(line.dataset.property);
    slice = line.dataset.slice;
    byId("property").value = chosen;
    draw(null);
  });
  byId("keys").addEventListener("click", () => byId("help").showModal());
  byId("rows").addEventListener("click", (event) => {
    const line = event.target.closest("tr");
    if (line) choose(line.dataset.slice);
  });
  byId("rows").addEventListener("keydown", (event) => {
    const line = event.target.closest("tr");
    if (!line) return;
    if (event.key === "Enter" || event.key === " ") choose(line.dataset.slice);
    else if (event.key === "ArrowDown" && line.nextSibling) line.nextSibling.focus();
    else if (event.key === "ArrowUp" && line.previousSibling) line.previousSibling.focus();
    else return;
    event.preventDefault();
  });

  byId("setting").addEventListener("submit", (event) => {
    event.preventDefault();
    const it = property();
    if (it && slice !== null)
      ask("set-state", { property: it.name, binding: slice, state: byId("states").value });
  });

  async function ask(name, more) {
    const request = { request: name, ...more };
    if (name === "restore") request.number = Number(byId("checkpoints").value) || null;
    const answer = await fetch("request", { method: "POST", body: JSON.stringify(request) });
    if (!answer.ok) {
      board.texts.push({ level: "error", text: await answer.text() });
      texts();
    }
  }
  for (const button of document.querySelectorAll("#controls button"))
    button.addEventListener("click", () => ask(button.dataset.request));
  const keys = { c: "continue", n: "next", s: "step", f: "finish", p: "interrupt", k: "checkpoint", r: "restore" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select")) { if (event.key === "Escape") event.target.blur(); return; }
    if (byId("help").open) return;
    if (event.key === "/") { byId("filter").focus(); event.preventDefault(); return; }
    if (event.key === "?") { byId("help").showModal(); return; }
    if (event.key === "l" && !byId("live").hidden) { scrubTo(frames.length); return; }
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const at = (isLive ? frames.length : shown) + (event.key === "ArrowLeft" ? -1 : 1);
      if (at >= 0 && at <= frames.length) scrubTo(at);
      event.preventDefault();
      return;
    }
    const button = keys[event.key] && document.querySelector(`[data-request="${keys[event.key]}"]`);
    if (button && !button.disabled && !byId("controls").hidden) button.click();
  });

  // ---- where frames come from ----
  draw(null);
  if (recording) {
    for (const frame of JSON.parse(recording)) frames.push(frame);
    goTo(frames.length);
    const play = byId("play");
    play.hidden = false;
    let timer = null;
    const stop = () => { clearTimeout(timer); timer = null; play.textContent = "Play"; };
    const advance = () => {
      if (shown >= frames.length) { stop(); isLive = true; return; }
      const frame = frames[shown];
      apply(frame, board);
      shown += 1;
      draw(frame, frame.events);
      const next = frames[shown];
      timer = setTimeout(advance, next ? Math.min(1500, Math.max(30, next.time - frame.time)) : 0);
    };
    play.addEventListener("click", () => {
      if (timer !== null) { stop(); return; }
      if (shown >= frames.length) goTo(0);
      isLive = false;
      play.textContent = "Pause";
      advance();
    });
    return;
  }
  const source = new EventSource("events");
  source.addEventListener("hello", (event) => {
    // After a break everything is told again.
    frames.length = 0;
    kept = 0;
    base = fresh();
    board = fresh();
    byId("controls").hidden = !JSON.parse(event.data).controls;
    document.documentElement.classList.toggle("controls", !byId("controls").hidden);
  });
  source.addEventListener("message", (event) => {
    const frame = JSON.parse(event.data);
    take(frame);
    if (frame.over) source.close();
  });
  source.addEventListener("error", () => {
    if (board.over) return;
    document.body.className = "lost";
    byId("state").textContent = "the connection is lost";
  });
})();
