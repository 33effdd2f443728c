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
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // ---- what is known: frames, and what they add up to ----
  const frames = [];
  let base = fresh(); // what frames that are no longer kept add up to
  let board = fresh();
  let shown = 0; // how many frames the board consists of
  let isLive = true; // follows the last frame
  let chosen = 0, slice = null, filter = "";

  function fresh() {
    return { properties: [], rows: [], unlisted: [], events: [], verdicts: [], texts: [],
             checkpoints: [], selected: null, status: { state: "stopped", text: "" }, time: 0, over: false };
  }

  function apply(frame, board) {
    board.time = frame.time;
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
      for (const part of ["properties", "events", "verdicts", "texts", "checkpoints", "selected", "status", "rows"])
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

  // ---- drawing ----
  let drawn = null; // the picture that is on the page
  function draw(frame, moves) {
    if (chosen >= board.properties.length) chosen = 0;
    status();
    if (!frame || frame.properties) { properties(); drawn = null; }
    picture();
    if (moves) tokens(moves);
    if (!frame || frame.properties) { table(); events(); } else if (frame.rows || frame.events) someLists();
    if (!frame || frame.verdicts) verdicts();
    if (!frame || frame.texts) texts();
    if (!frame || frame.checkpoints) checkpoints();
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
    const words = text ? text.split("\n").join(" · ") : state;
    byId("state").textContent = board.over && state !== "exited" ? "the session is over" : words;
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
    select.replaceChildren(...board.properties.map((p, i) => {
      const option = make("option", "", p.name);
      option.value = i;
      return option;
    }));
    select.value = chosen;
    select.hidden = board.properties.length < 2;
  }

  function picture() {
    const graph = byId("graph");
    const property = board.properties[chosen];
    if (!property) {
      if (drawn !== "none") graph.replaceChildren(make("p", "empty", "No property is loaded."));
      drawn = "none";
      return;
    }
    if (drawn !== property) {
      // The picture is made by the server, with every name escaped; a parser that runs nothing reads it.
      const parsed = new DOMParser().parseFromString(property.svg, "text/html");
      const svg = parsed.querySelector("svg");
      graph.replaceChildren(svg || make("p", "empty", parsed.body.textContent));
      drawn = property;
    }
    const nodes = [...graph.querySelectorAll(".ww-node")];
    const rows = board.rows[chosen];
    const row = slice === null ? undefined : rows.get(slice);
    const counts = property.states.map(() => 0);
    for (const one of rows.values()) if (one.state !== null) counts[one.state] += 1;
    nodes.forEach((node, i) => {
      node.classList.toggle("ww-lit", row ? row.state === i : counts[i] > 0);
      tally(node, row ? 0 : counts[i] || 0);
    });
    const variables = row && row.variables ? ` [${row.variables}]` : "";
    byId("legend").textContent = row
      ? `${row.binding || "(nothing bound)"}: ${row.state === null ? "ended" : property.states[row.state]}${variables}`
      : property.name;
    const canSet = row && row.state !== null && isLive && !byId("controls").hidden && board.status.state === "stopped" && !board.over;
    byId("setting").hidden = !canSet;
    const states = byId("states");
    if (canSet && states.dataset.of !== property.name) {
      states.replaceChildren(...property.states.map((name) => make("option", "", name)));
      states.dataset.of = property.name;
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
    const property = board.properties[chosen];
    if (!property || calm.matches || document.hidden) return;
    const edges = [...byId("graph").querySelectorAll(".ww-edge")];
    const mine = list.filter((e) => e.property === chosen && (slice === null || e.binding === slice));
    // A merged frame has many; the last ones are shown.
    for (const event of mine.slice(-MOST_TOKENS)) {
      const at = property.edges.findIndex(([from, to]) => from === event.from && to === event.to);
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
  function table() {
    const property = board.properties[chosen];
    const body = byId("rows");
    if (!property) { body.replaceChildren(); byId("count").textContent = ""; return; }
    const words = filter.toLowerCase();
    const fits = (row) => !words || row.binding.toLowerCase().includes(words)
      || (row.state !== null && property.states[row.state].toLowerCase().includes(words));
    const all = [...board.rows[chosen].entries()].filter(([, row]) => fits(row));
    const some = all.slice(0, MOST_SHOWN);
    // Rows that are there already are changed in place, so that the focus stays.
    while (body.children.length > some.length) body.lastChild.remove();
    some.forEach(([binding, row], i) => {
      let line = body.children[i];
      if (!line) {
        line = make("tr");
        line.tabIndex = 0;
        line.append(make("td"), make("td"), make("td"));
        body.append(line);
      }
      line.dataset.slice = binding;
      line.className = row.state === null ? "ended" : "";
      line.setAttribute("aria-selected", String(slice === binding));
      const texts = [row.binding || "(nothing bound)",
                     row.state === null ? "ended" : property.states[row.state], String(row.moves)];
      texts.forEach((text, n) => {
        if (line.children[n].textContent !== text) line.children[n].textContent = text;
      });
    });
    const hidden = all.length - some.length + board.unlisted[chosen];
    byId("count").textContent = `${all.length} slice${all.length === 1 ? "" : "s"}`
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
      const name = (state) => (state === null || !property ? "(dropped)" : property.states[state]);
      const line = make("li");
      line.append(make("span", "index", String(event.index)),
                  make("span", "what", event.event || "(time passed)"),
                  make("span", "where", `${name(event.from)} → ${name(event.to)}`));
      line.title = event.binding;
      return line;
    }));
  }

  function verdicts() {
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
      button.addEventListener("click", () => { isLive = count === frames.length; goTo(count); });
      return button;
    }));
  }

  let lastMarks = 0;
  function scrubber() {
    if (performance.now() - lastMarks > 500 || marked > frames.length) { marks(); lastMarks = performance.now(); }
    const scrub = byId("scrub");
    scrub.max = frames.length;
    scrub.value = isLive ? frames.length : shown;
    const seconds = (board.time / 1000).toFixed(1);
    byId("time").textContent = isLive ? `${seconds} s` : `${seconds} s of ${((frames.at(-1)?.time ?? 0) / 1000).toFixed(1)}`;
  }

  byId("scrub").addEventListener("input", (event) => {
    const count = Number(event.target.value);
    isLive = count === frames.length;
    goTo(count);
  });

  // ---- the person ----
  byId("property").addEventListener("change", (event) => {
    chosen = Number(event.target.value);
    slice = null;
    draw(null);
  });
  byId("filter").addEventListener("input", (event) => { filter = event.target.value; table(); });
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
    const property = board.properties[chosen];
    if (property && slice !== null)
      ask("set-state", { property: property.name, binding: slice, state: byId("states").value });
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
    if (event.key === "/") { byId("filter").focus(); event.preventDefault(); return; }
    const button = keys[event.key] && document.querySelector(`[data-request="${keys[event.key]}"]`);
    if (button && !button.disabled && !byId("controls").hidden) button.click();
  });

  // ---- where frames come from ----
  const recording = byId("recording").textContent.trim();
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
