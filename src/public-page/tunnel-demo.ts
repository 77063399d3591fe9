/** Moves the landing page's example between the states that the build has drawn of it. */
import { formatClock } from '../format/times.ts';
import { afterNetwork, pressed, SEND_MS, type Demo } from '../screens/landing/demo-steps.ts';

/**
 * Makes `node` what `like` is, in place: a control keeps its focus, and a live region announces
 * what changed in it.
 */
function become(node: Node, like: Node): void {
  if (node.nodeType !== like.nodeType || node.nodeName !== like.nodeName) {
    (node as ChildNode).replaceWith(like.cloneNode(true));
    return;
  }
  if (!(node instanceof Element) || !(like instanceof Element)) {
    if (node.nodeValue !== like.nodeValue) node.nodeValue = like.nodeValue;
    return;
  }
  for (const { name } of [...node.attributes])
    if (!like.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of like.attributes)
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  const [have, want] = [[...node.childNodes], [...like.childNodes]];
  want.forEach((child, index) => {
    const present = have[index];
    if (present === undefined) node.append(child.cloneNode(true));
    else become(present, child);
  });
  for (const left of have.slice(want.length)) left.remove();
}

function drawn(at: Demo, online: boolean, clock: string): Node | null {
  const state = document.querySelector<HTMLTemplateElement>(
    `template[data-example="${at}-${online ? 'online' : 'offline'}"]`,
  );
  const like = state?.content.cloneNode(true);
  if (like === undefined) return null;
  const texts = document.createTreeWalker(like, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null)
    texts.currentNode.nodeValue = texts.currentNode.nodeValue?.replace('{clock}', clock) ?? '';
  return like.firstChild;
}

export function runDemo(): void {
  const figure = document.querySelector('figure[data-demo]');
  if (figure === null) return;
  let at: Demo = 'running';
  let online = true;
  let clock = '';
  let answer: ReturnType<typeof setTimeout> | undefined;
  const show = (next: Demo): void => {
    at = next;
    clearTimeout(answer);
    if (at === 'sending')
      answer = setTimeout(() => {
        show('stopped');
      }, SEND_MS);
    const like = drawn(at, online, clock);
    if (like !== null) become(figure, like);
  };
  figure.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (button === null) return;
    if (button.getAttribute('role') === 'switch') {
      online = !online;
      clock = online ? '' : formatClock(Date.now());
      show(afterNetwork(at, online));
    } else show('steady' in button.dataset ? pressed(at, online) : 'running');
  });
}
