/** A page of any engine by what a person sees of it: roles, names, labels and text. */
import type { Driver } from './webdriver.ts';
import { until } from './until.ts';

export type Role = 'button' | 'link' | 'radio' | 'field' | 'tab';

interface Wanted {
  role: Role;
  name: string;
  /** The name is a pattern. */
  pattern: boolean;
  within: 'page' | 'dialog';
}

interface Place {
  x: number;
  y: number;
  disabled: boolean;
}

/** Runs in the page: the first that is visible, brought into view, and where its middle is. */
const FIND = `
const [wanted] = arguments;
const SELECTORS = {
  button: 'button, [role=button], summary', link: 'a[href]', radio: 'input[type=radio], [role=radio]',
  field: 'input, select, textarea', tab: '[role=tab]',
};
const byId = (ids) => (ids ?? '').split(/\\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
const nameOf = (element) => {
  const named = element.getAttribute('aria-label') ?? byId(element.getAttribute('aria-labelledby'));
  if (named !== '') return named;
  const labels = [...(element.labels ?? [])].map((label) => label.textContent ?? '').join(' ');
  return labels !== '' ? labels : element.textContent ?? '';
};
const clean = (text) => text.replace(/\\s+/g, ' ').trim();
const fits = (name) => wanted.pattern ? new RegExp(wanted.name).test(name) : name === wanted.name;
const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && element.getBoundingClientRect().width > 0;
const roots = wanted.within === 'dialog' ? [...document.querySelectorAll('[role=dialog], [role=alertdialog], dialog[open]')] : [document];
const found = roots.flatMap((root) => [...root.querySelectorAll(SELECTORS[wanted.role])]).find((element) => visible(element) && fits(clean(nameOf(element))));
if (found === undefined) return null;
found.scrollIntoView({ block: 'center', behavior: 'instant' });
const box = found.getBoundingClientRect();
window.__found = found;
return { x: Math.round(box.left + box.width / 2), y: Math.round(box.top + box.height / 2), disabled: found.disabled === true };
`;

const POINTER = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' } };
const move = ({ x, y }: Place): Record<string, unknown> => ({
  type: 'pointerMove',
  duration: 0,
  x,
  y,
  origin: 'viewport',
});

export class EnginePage {
  constructor(readonly driver: Driver) {}

  async goto(url: string): Promise<void> {
    await this.driver.send('goto', { url });
  }

  /**
   * As the page itself reloads: Firefox's driver would go past the worker, which no person's reload
   * does.
   */
  async reload(): Promise<void> {
    await this.run('window.__before = true; setTimeout(() => { location.reload(); }, 0);');
    await until(
      () => this.run<boolean>('return window.__before === undefined'),
      (fresh) => fresh,
    );
  }

  /** The body of a function in the page; what it returns as JSON. */
  async run<T>(script: string, ...args: unknown[]): Promise<T> {
    return (await this.driver.send('script', { script, args })) as T;
  }

  /** As `run`, of an async body. */
  async runAsync<T>(script: string, ...args: unknown[]): Promise<T> {
    const body = `const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);
      (async () => { ${script} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = (await this.driver.send('asyncScript', { script: body, args })) as {
      value?: T;
      error?: string;
    };
    if (error !== undefined) throw new Error(error);
    return value as T;
  }

  text(): Promise<string> {
    return this.run<string>('return document.body.innerText');
  }

  /** Waits until the page says it, and answers the whole text. */
  says(wanted: RegExp): Promise<string> {
    return until(
      () => this.text(),
      (text) => wanted.test(text),
    );
  }

  path(): Promise<string> {
    return this.run<string>('return location.pathname + location.search');
  }

  at(wanted: RegExp): Promise<string> {
    return until(
      () => this.path(),
      (path) => wanted.test(path),
    );
  }

  /** Waits until it is there, enabled and has come to rest. */
  private async find(
    role: Role,
    name: string | RegExp,
    within: Wanted['within'] = 'page',
  ): Promise<Place> {
    const wanted: Wanted = {
      role,
      name: typeof name === 'string' ? name : name.source,
      pattern: typeof name !== 'string',
      within,
    };
    let last = '';
    const place = await until(
      () => this.run<Place | null>(FIND, wanted),
      (found) => {
        const still = found !== null && !found.disabled && JSON.stringify(found) === last;
        last = JSON.stringify(found);
        return still;
      },
    ).catch(async (error: unknown) => {
      throw new Error(
        `No ${role} ${String(name)}: ${String(error)}\n${(await this.text()).slice(0, 1_500)}`,
      );
    });
    if (place === null) throw new Error(`No ${role} ${String(name)}`);
    return place;
  }

  private async press(place: Place, heldMs: number): Promise<void> {
    const down = [
      { type: 'pointerDown', button: 0 },
      { type: 'pause', duration: heldMs },
      { type: 'pointerUp', button: 0 },
    ];
    await this.driver.send('act', { actions: [{ ...POINTER, actions: [move(place), ...down] }] });
  }

  async click(role: Role, name: string | RegExp, within: Wanted['within'] = 'page'): Promise<void> {
    await this.press(await this.find(role, name, within), 30);
  }

  async hold(
    role: Role,
    name: string | RegExp,
    heldMs: number,
    within: Wanted['within'] = 'page',
  ): Promise<void> {
    await this.press(await this.find(role, name, within), heldMs);
  }

  /** By the keyboard, over what is there. */
  async fill(label: string | RegExp, text: string): Promise<void> {
    await this.click('field', label);
    await this.run('window.__found.select?.()');
    const keys = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.driver.send('act', { actions: [{ type: 'key', id: 'keyboard', actions: keys }] });
    await until(
      () => this.run<string>('return window.__found.value'),
      (value) => value === text,
    );
  }

  async select(label: string | RegExp, value: string): Promise<void> {
    await this.find('field', label);
    await this.run(
      `const field = window.__found;
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(field, arguments[0]);
      field.dispatchEvent(new Event('change', { bubbles: true }));`,
      value,
    );
  }

  /** Resolves when the worker serves this page. */
  async controlled(): Promise<void> {
    await this.runAsync(`await navigator.serviceWorker.ready;
      if (navigator.serviceWorker.controller === null) {
        await new Promise((resolve) => { navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }); });
      }`);
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(String(await this.driver.send('screenshot')), 'base64');
  }
}
