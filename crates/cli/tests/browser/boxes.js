// Looks at a page as it is laid out now and says what is wrong with it:
// [{ check, where, text, detail }]. Boxes are in CSS pixels of the viewport.
(() => {
  'use strict';
  const complaints = [];
  const counts = new Map();
  const MOST = 12; // of one check in one view; the rest are counted

  const short = (text) => (text || '').replace(/\s+/g, ' ').trim().slice(0, 60);
  const path = (element) => {
    const parts = [];
    for (let e = element; e && e !== document.body && parts.length < 4; e = e.parentElement) {
      const names = (e.getAttribute('class') || '').trim().split(/\s+/).filter(Boolean);
      parts.unshift(e.localName + (e.id ? '#' + e.id : '') + names.map((n) => '.' + n).join(''));
    }
    return parts.join(' > ');
  };
  const complain = (check, element, text, detail) => {
    const count = (counts.get(check) || 0) + 1;
    counts.set(check, count);
    if (count <= MOST) {
      complaints.push({ check, where: element ? path(element) : '', text: short(text), detail: detail || '' });
    }
  };
  const px = (number) => Math.round(number * 10) / 10;
  const inSvg = (element) => element.namespaceURI === 'http://www.w3.org/2000/svg';
  const within = (element, selector) => !!element.closest(selector);

  // ---- what is known of an element, once each ------------------------------
  const known = new Map();
  const about = (element) => {
    let facts = known.get(element);
    if (facts) return facts;
    const style = getComputedStyle(element);
    const parent = element.parentElement ? about(element.parentElement) : null;
    const rect = element.getBoundingClientRect();
    facts = {
      style, rect,
      opacity: (parent ? parent.opacity : 1) * parseFloat(style.opacity),
      hidden: (parent && parent.hidden) || isHidden(element, style, rect),
      // Boxes around that cut (hidden) or scroll what is in them, outermost
      // first; and whether one of them scrolls sideways.
      clips: parent ? parent.innerClips : [],
      scroller: parent ? parent.innerScroller : false,
    };
    facts.innerClips = facts.clips;
    facts.innerScroller = facts.scroller;
    if (!inSvg(element) && element !== document.documentElement && element !== document.body) {
      const cuts = (value) => value === 'hidden' || value === 'clip';
      const scrolls = (value) => value === 'auto' || value === 'scroll';
      const [x, y] = [style.overflowX, style.overflowY];
      if (x !== 'visible' || y !== 'visible') {
        facts.innerClips = facts.clips.concat([{
          element, rect, cutsX: cuts(x), cutsY: cuts(y), scrollsX: scrolls(x), scrollsY: scrolls(y),
        }]);
      }
      facts.innerScroller = facts.scroller || scrolls(x);
    }
    known.set(element, facts);
    return facts;
  };
  // Not to be seen by anybody, or only to be heard.
  const isHidden = (element, style, rect) => {
    if (style.display === 'none') return true;
    if (inSvg(element)) return false;
    // A link to skip with, which comes in when it has the focus.
    if (style.position !== 'static' && rect.right < -999) return true;
    const tiny = rect.width <= 1.5 && rect.height <= 1.5 && style.overflowX !== 'visible';
    return tiny || /inset\((50%|100%)/.test(style.clipPath) || /^rect\((0|1)px,? (0|1)px/.test(style.clip);
  };
  const isShown = (element) => {
    const facts = about(element);
    return !facts.hidden && facts.opacity > 0.01 && element.checkVisibility({ visibilityProperty: true });
  };

  // ---- boxes of text --------------------------------------------------------
  // A line's box reaches above its capitals and below its letters.
  const ABOVE = 0.16;
  const BELOW = 0.08;
  const glyphs = (r) => ({ left: r.left, right: r.right, top: r.top + ABOVE * r.height, bottom: r.bottom - BELOW * r.height });
  // A text at neither a right angle nor none, by its matrix.
  const askew = (m) => m && Math.min(Math.abs(m.a), Math.abs(m.b)) > 0.02 * Math.hypot(m.a, m.b);
  const corners = (element, m) => {
    const b = element.getBBox();
    const [top, bottom] = [b.y + ABOVE * b.height, b.y + (1 - BELOW) * b.height];
    return [[b.x, top], [b.x + b.width, top], [b.x + b.width, bottom], [b.x, bottom]]
      .map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
  };
  const boxOf = (rect, quad, upright) => {
    if (quad) {
      const [xs, ys] = [quad.map((p) => p[0]), quad.map((p) => p[1])];
      return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    }
    if (!upright) return glyphs(rect);
    return { left: rect.left + ABOVE * rect.width, right: rect.right - BELOW * rect.width, top: rect.top, bottom: rect.bottom };
  };
  const boxes = [];
  const done = new Set();
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element || !isShown(element)) continue;
    if (within(element, 'script,style,title,desc,noscript,template,metadata,defs,symbol')) continue;
    const svg = inSvg(element);
    const whole = svg ? element.closest('text') : null;
    if (svg && !whole) continue;
    const m = whole && whole.getScreenCTM();
    if (askew(m) && done.has(whole)) continue;
    done.add(whole);
    range.selectNodeContents(node);
    for (const rect of askew(m) ? [whole.getBoundingClientRect()] : range.getClientRects()) {
      if (rect.width < 0.5 || rect.height < 0.5) continue;
      const quad = askew(m) ? corners(whole, m) : null;
      const upright = m && Math.abs(m.b) > Math.abs(m.a);
      boxes.push({ ...boxOf(rect, quad, upright), element, node, svg, m, quad, facts: about(element) });
    }
  }

  // ---- text that is cut, or off the page -------------------------------------
  const outermost = (element) => {
    let svg = element.closest('svg');
    for (let up = svg; up; up = up.parentElement && up.parentElement.closest('svg')) svg = up;
    return svg;
  };
  // What a scroller inside the cutting box holds can be scrolled to.
  const scrolledWithin = (box, clip, way) => {
    const clips = box.facts.innerClips;
    return clips.slice(clips.indexOf(clip) + 1).some((inner) => inner[way]);
  };
  const page = document.documentElement;
  const pageWidth = page.clientWidth;
  for (const box of boxes) {
    let [left, right, top, bottom] = [box.left, box.right, box.top, box.bottom];
    for (const clip of box.facts.innerClips) {
      const c = clip.rect;
      const [x, y] = [Math.max(c.left - box.left, box.right - c.right), Math.max(c.top - box.top, box.bottom - c.bottom)];
      if (clip.cutsX && x > 1.5 && !scrolledWithin(box, clip, 'scrollsX')) {
        complain('cut-text', box.element, box.node.data, `${px(x)} px beyond ${path(clip.element)}`);
      } else if (clip.cutsY && y > 1.5 && !scrolledWithin(box, clip, 'scrollsY')) {
        complain('cut-text', box.element, box.node.data, `${px(y)} px beyond ${path(clip.element)}`);
      }
      [left, right] = [Math.max(left, c.left), Math.min(right, c.right)];
      [top, bottom] = [Math.max(top, c.top), Math.min(bottom, c.bottom)];
    }
    box.seen = right > left && bottom > top ? { left, right, top, bottom } : null;
    if (box.svg) {
      const outer = about(outermost(box.element));
      const o = outer.rect;
      const outside = box.left < o.left - 1 || box.right > o.right + 1 || box.top < o.top - 1 || box.bottom > o.bottom + 1;
      if (outside && outer.style.overflowX !== 'visible') complain('cut-text', box.element, box.node.data, 'outside its picture');
    }
    const off = box.left < -0.5 || box.right > pageWidth + 0.5;
    if (!box.facts.innerScroller && (off || box.top + scrollY < -0.5)) {
      complain('off-page', box.element, box.node.data, `from ${px(box.left)} to ${px(box.right)} of ${pageWidth}`);
    }
  }
  for (const element of document.body.querySelectorAll('*')) {
    if ((inSvg(element) && element.localName !== 'svg') || !isShown(element)) continue;
    const { style, rect, scroller } = about(element);
    const cuts = ['hidden', 'clip'].includes(style.overflowX) && style.display !== 'inline' && !inSvg(element);
    if (cuts && element.scrollWidth > element.clientWidth + 1) {
      complain('cut-text', element, element.textContent, `${element.scrollWidth} px in ${element.clientWidth} px`);
    }
    if (!scroller && rect.width > 0 && rect.height > 0 && (rect.right > pageWidth + 1 || rect.left < -1)) {
      complain('off-page', element, '', `from ${px(rect.left)} to ${px(rect.right)} of ${pageWidth}`);
    }
  }
  if (page.scrollWidth > pageWidth + 1) complain('page-scrolls', null, '', `${page.scrollWidth} px in ${pageWidth} px`);

  // ---- text over text ---------------------------------------------------------
  const TOUCH = 2; // px
  const span = (points, axis) => {
    const on = points.map((p) => p[0] * axis[0] + p[1] * axis[1]);
    return [Math.min(...on), Math.max(...on)];
  };
  // Two convex quads are apart where one of their sides separates them.
  const apart = (a, b) => [a, b].some((quad) => quad.some((p, i) => {
    const q = quad[(i + 1) % 4];
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    const axis = [(p[1] - q[1]) / length, (q[0] - p[0]) / length];
    const [[a0, a1], [b0, b1]] = [span(a, axis), span(b, axis)];
    return Math.min(a1, b1) - Math.max(a0, b0) <= TOUCH;
  }));
  const quadOf = (box) => box.quad || [[box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom]];
  let open = [];
  for (const box of boxes.filter((b) => b.seen).sort((a, b) => a.seen.top - b.seen.top)) {
    const s = box.seen;
    open = open.filter((other) => other.seen.bottom > s.top + TOUCH);
    for (const other of open) {
      const o = other.seen;
      const across = Math.min(s.right, o.right) - Math.max(s.left, o.left);
      const down = Math.min(s.bottom, o.bottom) - Math.max(s.top, o.top);
      if (across <= TOUCH || down <= TOUCH || other.node === box.node) continue;
      const family = !box.svg && (box.element.contains(other.element) || other.element.contains(box.element));
      if (family || ((box.quad || other.quad) && apart(quadOf(box), quadOf(other)))) continue;
      complain('overlap', box.element, box.node.data, `${px(across)} x ${px(down)} px with "${short(other.node.data)}" (${path(other.element)})`);
    }
    open.push(box);
  }

  // ---- size ---------------------------------------------------------------------
  const SMALLEST = 8; // px
  for (const { m, facts, element, node } of boxes) {
    const size = parseFloat(facts.style.fontSize) * (m ? Math.sqrt(Math.abs(m.a * m.d - m.b * m.c)) : 1);
    if (size < SMALLEST - 0.05) complain('small-text', element, node.data, `${px(size)} px`);
  }

  // ---- contrast (WCAG 2.2, 1.4.3) --------------------------------------------------
  const ink = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  ink.canvas.width = ink.canvas.height = 1;
  const colours = new Map();
  // Any CSS colour as [r, g, b, a], 0 to 255 and 0 to 1.
  const colour = (css) => {
    if (!colours.has(css)) {
      ink.clearRect(0, 0, 1, 1);
      ink.fillStyle = css;
      ink.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
      colours.set(css, [r, g, b, a / 255]);
    }
    return colours.get(css);
  };
  const over = (top, alpha, below) => below.map((c, i) => top[i] * alpha + c * (1 - alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  // What the viewport is painted with where no element is.
  const bare = () => {
    const probe = document.createElement('i');
    probe.style.color = 'canvas';
    page.append(probe);
    const found = colour(getComputedStyle(probe).color).slice(0, 3);
    probe.remove();
    return found;
  };
  const backgrounds = new Map();
  // The colour behind what is in this element; null where a picture is.
  const behind = (element) => {
    if (!element) return bare();
    if (!backgrounds.has(element)) {
      const { style } = about(element);
      const own = colour(style.backgroundColor);
      const below = style.backgroundImage === 'none' ? behind(element.parentElement) : null;
      backgrounds.set(element, own[3] > 0.999 ? own.slice(0, 3) : below && over(own, own[3], below));
    }
    return backgrounds.get(element);
  };
  const shapes = new Map();
  const painted = (svg) => {
    if (!shapes.has(svg)) {
      const all = [...svg.querySelectorAll('rect,path,circle,ellipse,polygon')];
      shapes.set(svg, all
        .filter((e) => !within(e, 'defs,clipPath,mask,pattern,symbol') && isShown(e) && about(e).style.fill !== 'none')
        .map((element) => ({ element, ...about(element), alpha: about(element).opacity / about(svg).opacity })));
    }
    return shapes.get(svg);
  };
  const holds = ({ element, rect }, x, y) => {
    if (x < rect.left || x > rect.right || y < rect.top || y > rect.bottom) return false;
    const m = element.localName === 'rect' ? null : element.getScreenCTM();
    return !m || element.isPointInFill(new DOMPoint(x, y).matrixTransform(m.inverse()));
  };
  // The colour behind the middle of a text in a picture: of what is painted
  // before it there, or of its halo.
  const behindSvg = (box) => {
    const { style } = box.facts;
    if (style.stroke !== 'none' && style.paintOrder.startsWith('stroke') && parseFloat(style.strokeWidth) >= 2) {
      return colour(style.stroke).slice(0, 3);
    }
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const svg = outermost(box.element);
    let found = behind(svg);
    for (const shape of painted(svg)) {
      const before = shape.element.compareDocumentPosition(box.element) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (!before || !holds(shape, x, y)) continue;
      const fill = shape.style.fill.startsWith('url(') ? null : colour(shape.style.fill);
      const alpha = fill && fill[3] * parseFloat(shape.style.fillOpacity) * shape.alpha;
      found = fill && (alpha > 0.999 ? fill.slice(0, 3) : found && over(fill, alpha, found));
    }
    return found;
  };
  const LEAST = 4.5;
  for (const box of boxes) {
    const { style, opacity } = box.facts;
    const ground = box.svg ? behindSvg(box) : behind(box.element);
    if (!ground) continue;
    const text = colour(box.svg ? style.fill : style.color);
    const alpha = text[3] * opacity * (box.svg ? parseFloat(style.fillOpacity) : 1);
    const ratio = contrast(over(text, alpha, ground), ground);
    // Colours have whole steps.
    if (ratio < LEAST - 0.02) complain('contrast', box.element, box.node.data, `${Math.round(ratio * 100) / 100} on rgb(${ground.map(Math.round)})`);
  }

  // ---- what the document says ---------------------------------------------------------
  const named = (element) => {
    const title = [...element.children].find((c) => c.localName === 'title');
    const by = (element.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean);
    const texts = [element.getAttribute('aria-label'), title && title.textContent]
      .concat(by.map((id) => (document.getElementById(id) || {}).textContent));
    return texts.some((text) => text && text.trim());
  };
  for (const element of document.querySelectorAll('[role=img],svg')) {
    const around = element.parentElement && element.parentElement.closest('svg,[role=img]');
    if (within(element, '[aria-hidden=true]') || (element.localName === 'svg' && around)) continue;
    if (element.getAttribute('role') !== 'img') complain('no-alternative', element, '', 'a picture without role="img" or aria-hidden');
    else if (!named(element)) complain('no-alternative', element, '', 'role="img" without a title or aria-label');
  }
  for (const image of document.querySelectorAll('img,input[type=image],area[href]')) {
    if (!image.hasAttribute('alt')) complain('no-alternative', image, '', 'no alt');
  }

  const LOADS = ['src', 'srcset', 'href', 'xlink:href', 'data', 'poster', 'action', 'formaction', 'background', 'ping', 'manifest'];
  const FOREIGN = /url\(\s*['"]?(?!['"]?\s*(#|data:))[^)]*\)/i;
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      // A link that a person may follow asks for nothing by itself.
      const link = name === 'href' && element.localName === 'a' && /^\s*(https?|mailto):/i.test(value);
      if (LOADS.includes(name) && !link && !/^\s*(#|data:|$)/i.test(value)) complain('outside', element, value, `${name}=`);
      else if (/^on/i.test(name)) complain('outside', element, value, `${name}= runs a script`);
      else if ((name === 'style' || inSvg(element)) && !/^(aria-|data-)/.test(name) && FOREIGN.test(value)) complain('outside', element, value, `${name}=`);
    }
    if (element.localName === 'style') {
      const css = element.textContent.replace(/\/\*[^]*?\*\//g, '');
      for (const pattern of [/@import[^;]*/i, FOREIGN]) {
        const found = css.match(pattern);
        if (found) complain('outside', element, found[0], 'in a style');
      }
    }
    const refresh = element.localName === 'meta' && /refresh/i.test(element.httpEquiv);
    if (refresh || ['iframe', 'frame', 'object', 'embed', 'base'].includes(element.localName)) {
      complain('outside', element, '', `<${element.localName}>`);
    }
  }

  const ids = new Set();
  for (const element of document.querySelectorAll('[id]')) {
    if (ids.has(element.id)) complain('double-id', element, '', element.id);
    ids.add(element.id);
  }
  let level = 0;
  for (const heading of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
    const own = Number(heading.localName[1]);
    if (own > level + 1) complain('heading-order', heading, heading.textContent, level ? `h${own} after h${level}` : `the first is h${own}`);
    else if (level > 0 && own === 1) complain('heading-order', heading, heading.textContent, 'a second h1');
    level = own;
  }
  if (level === 0) complain('heading-order', null, '', 'no heading at all');
  for (const table of document.querySelectorAll('table')) {
    if (!within(table, '[role=presentation],[role=none]') && !table.querySelector('th')) complain('no-table-head', table, table.textContent);
  }
  if (!page.lang) complain('no-language', null, '', '<html> without lang');
  if (!document.title.trim()) complain('no-title', null, '', '<title> is empty');

  for (const [check, count] of counts) {
    if (count > MOST) complaints.push({ check, where: '', text: '', detail: `and ${count - MOST} more` });
  }
  return complaints;
})()
