// What a page gains from a script: one cursor over all its charts over time with the figures at it, zoom and pan, lines that
// are hidden and shown, and news of runs that are being measured. All that it shows comes from the server, which draws the
// charts; without it the page is whole. What is shown stands in the address, so that it can be sent on.
(() => {
  "use strict";

  const words = JSON.parse(document.querySelector('meta[name="headroom-words"]')?.content || "{}");
  // Where parts of the charts over time are asked for.
  const parts = document.querySelector('meta[name="headroom-figures"]')?.content;

  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  // Seconds as a reader writes them, in as many digits as a hundredth of the span needs.
  const seconds = (at, length) => `${at.toFixed(Math.min(9, Math.max(0, Math.ceil(2 - Math.log10(length)))))} s`;

  // --- What the address says: from when to when, and which lines are hidden.

  const state = { span: null, hidden: new Set() };

  const readAddress = () => {
    const query = new URLSearchParams(location.search);
    const span = (query.get("t") || "").split(",").map(Number);
    state.span = span.length === 2 && span.every(Number.isFinite) && span[0] < span[1] ? span : null;
    state.hidden = new Set((query.get("hide") || "").split(",").filter((key) => /^\d+\.\d+$/.test(key)));
  };

  const writeAddress = () => {
    const query = new URLSearchParams(location.search);
    query.delete("t");
    query.delete("hide");
    if (state.span) query.set("t", state.span.map((at) => Number(at.toPrecision(7))).join(","));
    if (state.hidden.size) query.set("hide", [...state.hidden].join(","));
    const text = query.toString().replace(/%2C/g, ",");
    history.replaceState(null, "", location.pathname + (text ? `?${text}` : "") + location.hash);
  };

  // --- Charts over time.

  class Chart {
    constructor(figure, all) {
      this.figure = figure;
      this.number = figure.dataset.figure;
      this.all = all;
      this.data = null;
      this.asked = 0;
      this.whole = null;
      this.drawing = make("div", { class: "drawing" });
      const first = figure.querySelector("svg");
      first.before(this.drawing);
      this.drawing.append(...figure.querySelectorAll(":scope > svg"));
      this.cursor = make("div", { class: "cursor", hidden: "" });
      this.stretch = make("div", { class: "stretch", hidden: "" });
      this.drawing.append(this.cursor, this.stretch);
      this.readout = make("p", { class: "readout", "aria-live": "polite" });
      this.acts = make("div", { class: "chart-acts", role: "group", "aria-label": words.tracks });
      this.drawing.after(this.readout, this.acts);
      figure.tabIndex = 0;
      figure.setAttribute("aria-describedby", `${figure.id}-help`);
      this.acts.append(make("span", { class: "unseen", id: `${figure.id}-help` }, words.help));
      this.listen();
    }

    // The figures, which are asked for when somebody first looks at the chart, and the picture of a part.
    async load(redraw) {
      const asked = ++this.asked;
      const query = new URLSearchParams(location.search);
      query.delete("t");
      query.delete("hide");
      if (state.span) query.set("t", state.span.join(","));
      const hidden = [...state.hidden].filter((key) => key.startsWith(`${this.number}.`));
      if (hidden.length) query.set("hide", hidden.join(","));
      try {
        const answer = await fetch(`${parts}${this.number}?${query}`);
        if (!answer.ok) throw new Error(answer.status);
        const data = await answer.json();
        if (asked !== this.asked) return;
        this.data = data;
        if (!this.whole) this.whole = data.span;
        if (redraw) {
          const drawn = new DOMParser().parseFromString(data.svg, "text/html").body.querySelectorAll("svg");
          for (const old of this.drawing.querySelectorAll(":scope > svg")) old.remove();
          this.drawing.prepend(...drawn);
        }
        this.offer();
      } catch {
        this.readout.textContent = words.fails;
      }
    }

    // The visible drawing, and where its time lies on it in pixels of the page.
    area() {
      const svgs = [...this.drawing.querySelectorAll(":scope > svg")];
      const at = svgs.findIndex((svg) => svg.getBoundingClientRect().width > 0);
      if (!this.data || at < 0) return null;
      const box = svgs[at].getBoundingClientRect();
      const area = this.data.areas[at];
      const scale = box.width / area.width;
      const from = box.left - this.drawing.getBoundingClientRect().left;
      return { left: from + area.left * scale, right: from + area.right * scale, box: this.drawing.getBoundingClientRect() };
    }

    time(clientX) {
      const area = this.area();
      if (!area) return null;
      const share = (clientX - area.box.left - area.left) / (area.right - area.left);
      const [from, to] = this.data.span;
      return share < 0 || share > 1 ? null : from + share * (to - from);
    }

    place(at) {
      const area = this.area();
      if (!area) return null;
      const [from, to] = this.data.span;
      return at < from || at > to ? null : area.left + ((at - from) / (to - from)) * (area.right - area.left);
    }

    // Shows the cursor, and the figures at it.
    show(at) {
      const x = at === null ? null : this.place(at);
      this.cursor.hidden = x === null;
      if (x === null) return this.readout.replaceChildren();
      this.cursor.style.setProperty("left", `${x}px`);
      const length = this.data.span[1] - this.data.span[0];
      const parts = [make("span", {}, make("b", {}, seconds(at, length)))];
      let panel = "";
      for (const track of this.data.tracks) {
        const value = track.values[Math.floor((at - track.start) / track.step)];
        if (value == null || state.hidden.has(`${this.number}.${track.place}`)) continue;
        if (track.panel !== panel) parts.push(make("b", {}, `${(panel = track.panel)} `));
        const swatch = track.colour ? [make("i", { class: `swatch ${track.colour}` })] : [];
        parts.push(make("span", {}, ...swatch, `${track.name} ${value}`.trim()));
      }
      this.readout.replaceChildren(...parts);
    }

    // Buttons: zoom, and one for each line that can be hidden.
    offer() {
      const help = this.acts.firstChild;
      const button = (label, act, more) => make("button", { type: "button", on: { click: act }, ...more }, label);
      const focused = [...this.acts.children].indexOf(document.activeElement);
      const many = this.data.tracks.filter((track) => track.colour).length > 1;
      const tracks = many ? this.data.tracks.filter((track) => track.colour && track.name) : [];
      this.acts.replaceChildren(
        help,
        button("+", () => this.all.zoom(this, 0.5), { "aria-label": words.in, title: words.in }),
        button("\u2212", () => this.all.zoom(this, 2), { "aria-label": words.out, title: words.out }),
        button(words.all, () => this.all.look(null), state.span ? {} : { disabled: "" }),
        ...tracks.map((track) => {
          const key = `${this.number}.${track.place}`;
          const toggle = () => {
            if (!state.hidden.delete(key)) state.hidden.add(key);
            writeAddress();
            this.load(true);
          };
          const name = [track.panel, track.name].filter(Boolean).join(", ");
          const pressed = String(!state.hidden.has(key));
          return make("button", { type: "button", "aria-pressed": pressed, on: { click: toggle } },
            make("i", { class: `swatch ${track.colour}` }), name);
        }),
      );
      if (focused >= 0) this.acts.children[focused]?.focus();
    }

    listen() {
      const look = () => this.data || this.load(false);
      this.figure.addEventListener("focusin", look);
      this.drawing.addEventListener("pointerenter", look);
      this.drawing.addEventListener("pointermove", (event) => {
        const at = this.time(event.clientX);
        this.all.point(at, this);
        if (this.began != null && at !== null) this.mark(this.began, at);
      });
      this.drawing.addEventListener("pointerleave", () => this.began == null && this.all.point(null));
      this.drawing.addEventListener("pointerdown", (event) => {
        if (event.button !== 0 || event.pointerType === "touch") return this.all.point(this.time(event.clientX), this);
        this.began = this.time(event.clientX);
        if (this.began !== null) {
          this.drawing.setPointerCapture(event.pointerId);
          event.preventDefault();
          this.figure.focus({ preventScroll: true });
        }
      });
      this.drawing.addEventListener("pointerup", (event) => {
        const [from, to] = [this.began, this.time(event.clientX)];
        this.began = null;
        this.stretch.hidden = true;
        if (from == null || to == null) return;
        const length = this.data.span[1] - this.data.span[0];
        if (Math.abs(to - from) > length / 100) this.all.look([Math.min(from, to), Math.max(from, to)]);
      });
      this.drawing.addEventListener("pointercancel", () => {
        this.began = null;
        this.stretch.hidden = true;
      });
      this.drawing.addEventListener("dblclick", () => this.all.look(null));
      this.figure.addEventListener("keydown", (event) => this.key(event));
    }

    mark(from, to) {
      const [left, right] = [this.place(Math.min(from, to)), this.place(Math.max(from, to))];
      if (left === null || right === null) return;
      this.stretch.hidden = false;
      this.stretch.style.setProperty("left", `${left}px`);
      this.stretch.style.setProperty("width", `${right - left}px`);
    }

    key(event) {
      if (event.target !== this.figure || event.ctrlKey || event.altKey || event.metaKey || !this.data) return;
      const [from, to] = this.data.span;
      const step = (to - from) / 100;
      const at = this.all.at ?? (from + to) / 2;
      const move = (by) => this.all.point(Math.min(to, Math.max(from, at + by)), this);
      const acts = {
        ArrowLeft: () => (event.shiftKey ? this.all.pan(this, -0.2) : move(-step)),
        ArrowRight: () => (event.shiftKey ? this.all.pan(this, 0.2) : move(step)),
        Home: () => move(from - at),
        End: () => move(to - at),
        "+": () => this.all.zoom(this, 0.5),
        "=": () => this.all.zoom(this, 0.5),
        "-": () => this.all.zoom(this, 2),
        0: () => this.all.look(null),
        Escape: () => this.all.point(null),
      };
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    }
  }

  // All charts of the page, which have one cursor and show one stretch of time.
  class Charts {
    constructor(figures) {
      this.at = null;
      this.charts = figures.map((figure) => new Chart(figure, this));
      addEventListener("resize", () => this.point(this.at));
    }

    // Those near the reader's eyes get their figures as soon as somebody points at one.
    point(at, from) {
      this.at = at;
      for (const chart of this.charts) {
        if (!chart.data && chart !== from && at !== null && chart.isNear()) chart.load(false).then(() => chart.show(this.at));
        chart.show(at);
      }
    }

    look(span) {
      state.span = span;
      writeAddress();
      for (const chart of this.charts) chart.load(true).then(() => chart.show(this.at));
    }

    zoom(chart, by) {
      if (!chart.data) return;
      const [from, to] = chart.data.span;
      const middle = this.at !== null && this.at > from && this.at < to ? this.at : (from + to) / 2;
      const next = [middle - (middle - from) * by, middle + (to - middle) * by];
      const whole = chart.whole;
      // Beyond the whole there is nothing; that whole is known only where the page was opened with all of it.
      if (by > 1 && (!whole || (next[0] <= whole[0] && next[1] >= whole[1]) || (to - from) * by > 1e6)) return this.look(null);
      this.look(next);
    }

    pan(chart, by) {
      if (!chart.data || !state.span) return;
      const [from, to] = chart.data.span;
      const shift = (to - from) * by;
      this.look([from + shift, to + shift]);
    }
  }

  Chart.prototype.isNear = function () {
    const box = this.figure.getBoundingClientRect();
    return box.bottom > -innerHeight && box.top < 2 * innerHeight;
  };

  readAddress();
  const figures = [...document.querySelectorAll("figure[data-figure]")];
  if (parts && figures.length) {
    const charts = new Charts(figures);
    addEventListener("popstate", () => {
      readAddress();
      charts.look(state.span);
    });
  }

  // --- The list: there is nothing to compare before something is ticked.

  const compare = document.querySelector('form[action="/compare"] .acts button');
  if (compare) {
    const form = compare.form;
    const count = () => (compare.disabled = !form.querySelector('input[name="run"]:checked'));
    form.addEventListener("change", count);
    addEventListener("pageshow", count);
    count();
  }

  // --- Runs that are being measured.

  const live = document.querySelector("[data-live]");
  if (live && window.EventSource) {
    const id = live.dataset.live;
    let known = null;
    const events = new EventSource(`/live/events${location.search.includes("lang=") ? location.search : ""}`);
    events.addEventListener("runs", (event) => {
      const news = JSON.parse(event.data);
      if (!id) {
        // Whoever is on a link there by keyboard stays on it, and what was scrolled aside stays so.
        const at = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
        const aside = live.querySelector(".scroll")?.scrollLeft;
        live.replaceChildren(...new DOMParser().parseFromString(news.html, "text/html").body.childNodes);
        if (at) [...live.querySelectorAll("a")].find((link) => link.getAttribute("href") === at)?.focus({ preventScroll: true });
        if (aside) live.querySelector(".scroll")?.scrollTo(aside, 0);
        return;
      }
      const own = news.runs.find((one) => one.id === id);
      const now = own ? String(own.trials) : "ended";
      if (known !== null && known !== now) live.replaceChildren(make("a", { href: location.href }, words.news));
      known = now;
      if (now === "ended") events.close();
    });
    addEventListener("pagehide", () => events.close());
  }
})();
