/** What is kept of a stylesheet for a page that carries its styles with it. */
import { describe, expect, it } from 'vitest';
import { usedStyles } from '../../scripts/used-styles.ts';

const page = '<main class="row md:flex p-2.5 [&amp;_b]:x"><b>a</b></main>';
const keeps = (css: string, html = page, also: string[] = []) => usedStyles(css, html, also);

describe('the styles of a page', () => {
  it('are the rules whose classes it has, and all rules without a class', () => {
    expect(keeps('.row{a:1}.gone{a:2}body{a:3}[data-x] b{a:4}')).toBe(
      '.row{a:1}body{a:3}[data-x] b{a:4}',
    );
  });

  it('know the escapes of utilities and of html', () => {
    expect(keeps(String.raw`.p-2\.5{a:1}.md\:flex{a:2}.\[\&_b\]\:x b{a:3}.md\:grid{a:4}`)).toBe(
      String.raw`.p-2\.5{a:1}.md\:flex{a:2}.\[\&_b\]\:x b{a:3}`,
    );
  });

  it('lose single selectors of a list, and blocks in which nothing is left', () => {
    expect(keeps('.gone,.row{a:1}@media (width>1px){.gone{a:2}}@media print{.row{a:3}}')).toBe(
      '.row{a:1}@media print{.row{a:3}}',
    );
  });

  it('keep what a selector only excludes or allows', () => {
    expect(keeps('.row:not(.gone,.gone *){a:1}.row :is(.gone,b){a:2}')).toBe(
      '.row:not(.gone,.gone *){a:1}.row :is(.gone,b){a:2}',
    );
  });

  it('keep the order of layers, also of an empty one', () => {
    expect(keeps('@layer base,utilities;@layer base{.gone{a:1}}@layer utilities{.row{a:2}}')).toBe(
      '@layer base,utilities;@layer base{}@layer utilities{.row{a:2}}',
    );
  });

  it('keep animations and properties that something kept names', () => {
    expect(
      keeps(
        '.row{animation:turn 1s}@keyframes turn{to{a:1}}@keyframes gone{to{a:1}}@property --left{b:1}',
      ),
    ).toBe('.row{animation:turn 1s}@keyframes turn{to{a:1}}');
  });

  it('read braces and commas in strings and comments as text', () => {
    expect(keeps('.row{content:"}"}.row:after{content:"{,"}/* } */.gone{a:1}')).toBe(
      '.row{content:"}"}.row:after{content:"{,"}',
    );
  });

  it('have the classes that a script brings in', () => {
    expect(keeps('.later{a:1}', page, ['later'])).toBe('.later{a:1}');
  });
});
