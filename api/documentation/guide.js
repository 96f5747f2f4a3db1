// The pages read well without it: it adds buttons that copy, shows one of several languages at a time, and
// fades what goes on to the right.

const KEPT = 'everpost-docs-language';

for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      // Without https a browser may refuse.
      getSelection().selectAllChildren(figure.querySelector('code'));
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  figure.append(button);
}

const groups = [...document.querySelectorAll('.tabs')].map((group, number) => {
  const figures = [...group.querySelectorAll('figure.code')];
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  const tabs = figures.map((figure, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.textContent = figure.dataset.title;
    figure.id = `tab-${number}-${index}`;
    figure.setAttribute('role', 'tabpanel');
    tab.setAttribute('aria-controls', figure.id);
    tab.addEventListener('click', () => showEverywhere(figure.dataset.title, group));
    list.append(tab);
    return tab;
  });
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.click();
    next.focus();
  });
  choose(0);
  group.prepend(list);
  group.dataset.ready = '';
  return { figures, choose };

  function choose(at) {
    figures.forEach((figure, index) => {
      figure.hidden = index !== at;
      tabs[index].setAttribute('aria-selected', String(index === at));
      tabs[index].tabIndex = index === at ? 0 : -1;
    });
  }
});

function show(language) {
  for (const { figures, choose } of groups) {
    const at = figures.findIndex(({ dataset }) => dataset.title === language);
    if (at >= 0) choose(at);
  }
}

/** The group that was clicked stays where it is on the screen. */
function showEverywhere(language, group) {
  const before = group.getBoundingClientRect().top;
  show(language);
  scrollBy({ top: group.getBoundingClientRect().top - before, behavior: 'instant' });
  try {
    localStorage.setItem(KEPT, language);
  } catch {}
}

try {
  show(localStorage.getItem(KEPT));
} catch {}

for (const wide of document.querySelectorAll('.table, article p:has(> img)')) {
  const fade = () => wide.classList.toggle('more', wide.scrollLeft + wide.clientWidth < wide.scrollWidth - 1);
  wide.addEventListener('scroll', fade, { passive: true });
  new ResizeObserver(fade).observe(wide);
  for (const child of wide.children) new ResizeObserver(fade).observe(child);
}
