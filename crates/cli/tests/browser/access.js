// What somebody needs who uses a page by keyboard, by a screen reader or by a finger; looks at it as it is laid out now and
// says what is missing: [{ check, where, text, detail }].
((language, isPhone) => {
  'use strict';
  const complaints = [];
  const path = (element) => {
    const parts = [];
    for (let e = element; e && e !== document.body && parts.length < 4; e = e.parentElement) {
      parts.unshift(e.localName + (e.id ? '#' + e.id : '') + [...e.classList].map((name) => '.' + name).join(''));
    }
    return parts.join(' > ');
  };
  const complain = (check, element, detail) => complaints.push({
    check, where: element ? path(element) : '', detail: detail || '',
    text: (element ? element.textContent : '').replace(/\s+/g, ' ').trim().slice(0, 60),
  });
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const texts = (ids) => (ids || '').split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent || '').join(' ');
  const name = (element) => (element.getAttribute('aria-label') || texts(element.getAttribute('aria-labelledby'))
    || [...(element.labels || [])].map((label) => label.textContent).join(' ') || '').trim();

  // ---- names (WCAG 2.2, 1.3.1, 2.4.4, 4.1.2) ---------------------------------------
  for (const field of all('input:not([type=hidden]),select,textarea,progress')) {
    if (isShown(field) && !name(field)) complain('no-label', field, field.name);
  }
  for (const element of all('a[href],button,summary')) {
    if (!name(element) && !element.textContent.trim()) complain('no-name', element);
  }
  for (const element of all('[aria-labelledby],[aria-describedby],[aria-controls]')) {
    for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls']) {
      for (const id of (element.getAttribute(attribute) || '').split(/\s+/).filter(Boolean)) {
        if (!document.getElementById(id)) complain('no-such-id', element, `${attribute}=${id}`);
      }
    }
  }
  for (const head of all('thead th')) if (!head.scope) complain('no-scope', head);
  for (const head of all('thead th')) if (!head.textContent.trim()) complain('no-head', head);

  // ---- parts of the page (1.3.1, 2.4.1, 3.1.1) ---------------------------------------
  const one = (selector) => all(selector).length === 1 || complain('landmarks', null, `${all(selector).length} of ${selector}`);
  one('main');
  one('h1');
  const ways = all('nav').filter(isShown).map(name);
  if (!ways.length || ways.some((way) => !way) || new Set(ways).size < ways.length) complain('landmarks', null, `nav: ${ways}`);
  const skip = all('body > a')[0];
  if (!skip || !document.querySelector(skip.getAttribute('href'))?.matches('main')) complain('landmarks', skip, 'the first link does not lead to main');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element === skip || element.closest('script,style,noscript')) continue;
    if (isShown(element) && !element.closest('main,nav,header,footer,aside')) complain('landmarks', element, 'outside of all parts');
  }
  if (document.documentElement.lang !== language) complain('language', null, document.documentElement.lang);
  for (const link of all('a[hreflang]')) if (link.lang !== link.hreflang) complain('language', link, 'its name is in another language');

  // ---- what scrolls can be scrolled by keyboard, what is hidden is not met (2.1.1, 4.1.2) ----
  const FOCUS = 'a[href],button:not(:disabled),input:not([type=hidden]):not(:disabled),select,textarea,summary,[tabindex="0"]';
  for (const box of all('main *')) {
    const style = getComputedStyle(box);
    const scrolls = /auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth + 1;
    if (!scrolls || !isShown(box) || box.matches(FOCUS)) continue;
    if (!box.querySelector(FOCUS)) complain('not-scrolled-by-keys', box);
  }
  for (const region of all('[tabindex="0"]')) {
    if (region.matches('pre')) continue;
    if (!name(region) && !region.matches('figure')) complain('no-name', region, 'can be focused');
  }
  for (const hidden of all('[aria-hidden=true]')) if (hidden.querySelector(FOCUS)) complain('hidden-focus', hidden);
  for (const element of all('[tabindex]')) if (element.tabIndex > 0) complain('tab-order', element, `tabindex ${element.tabIndex}`);

  // ---- size of targets (2.5.8) ----------------------------------------------------------
  if (isPhone) {
    const LEAST = 24;
    const box = (element) => (element.labels?.[0] && /checkbox|radio/.test(element.type) ? element.labels[0] : element).getBoundingClientRect();
    const targets = all(FOCUS).filter((element) => isShown(element) && element !== skip && !element.matches('[tabindex="0"]'))
      .map((element) => ({ element, ...(({ left, top, width, height }) => ({ left, top, width, height }))(box(element)) }));
    const small = (t) => t.width < LEAST - 0.5 || t.height < LEAST - 0.5;
    // A link in a sentence is as high as its line.
    const isInline = (element) => getComputedStyle(element).display === 'inline' && [...element.parentElement.childNodes]
      .some((node) => node !== element && node.nodeType === Node.TEXT_NODE && /[\p{L}\p{N}]/u.test(node.data));
    const middle = (t) => [t.left + t.width / 2, t.top + t.height / 2];
    const reaches = (t, [x, y]) => {
      if (small(t)) return Math.hypot(middle(t)[0] - x, middle(t)[1] - y) < LEAST - 0.5;
      const dx = Math.max(t.left - x, 0, x - t.left - t.width);
      const dy = Math.max(t.top - y, 0, y - t.top - t.height);
      return Math.hypot(dx, dy) < LEAST / 2 - 0.5;
    };
    for (const target of targets.filter((t) => small(t) && !isInline(t.element) && !t.element.closest('svg'))) {
      const near = targets.find((other) => other !== target && !other.element.contains(target.element)
        && !target.element.contains(other.element) && reaches(other, middle(target)));
      if (near) complain('small-target', target.element, `${Math.round(target.width)} x ${Math.round(target.height)} px beside "${near.element.textContent.trim().slice(0, 30)}"`);
    }
  }
  return complaints;
})
