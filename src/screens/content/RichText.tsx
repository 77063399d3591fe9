/** Renders the blocks of a long text. */
import { Fragment } from 'react';
import { Link } from 'wouter';
import { classes } from '../../components/class-names.ts';
import { withLocalNumbers } from '../../format/number-marks.ts';
import { anchorOf, inlineOf, type Block } from './rich-text.ts';

export function InlineText({ text }: { text: string }) {
  return inlineOf(text).map((part, index) => {
    if ('strong' in part) return <strong key={index}>{withLocalNumbers(part.strong)}</strong>;
    if ('link' in part)
      return (
        <Link key={index} href={part.to}>
          {part.link}
        </Link>
      );
    return <Fragment key={index}>{withLocalNumbers(part.text)}</Fragment>;
  });
}

/** Columns of figures are right-aligned, words left-aligned. */
const isFigure = (cell: string): boolean =>
  /^[−+±≥≤]?[\d.,\s]+(\s?(%|×|h|min|days?|USD|d))?$|^—$/u.test(cell);

function Table({
  caption,
  head,
  rows,
}: {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}) {
  const isRight = (column: number): boolean =>
    column > 0 && rows.every((row) => isFigure(row[column] ?? ''));
  return (
    <div className="sheet-scroll prose-table" tabIndex={0} role="region" aria-label={caption}>
      <table className="sheet-table">
        <caption className="label pb-1 text-left">{withLocalNumbers(caption)}</caption>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={cell} scope="col" className={classes(isRight(column) && 'num')}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('|')}>
              {row.map((cell, column) =>
                column === 0 ? (
                  <th key={column} scope="row" className="prose-row">
                    {withLocalNumbers(cell)}
                  </th>
                ) : (
                  <td key={column} className={classes(isRight(column) && 'num')}>
                    <InlineText text={cell} />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BlockOf({ block }: { block: Block }) {
  if (typeof block === 'string')
    return (
      <p>
        <InlineText text={block} />
      </p>
    );
  if ('h' in block)
    return (
      <h2 id={anchorOf(block.h)} tabIndex={-1}>
        {block.h}
      </h2>
    );
  if ('table' in block) return <Table {...block.table} />;
  if ('formula' in block)
    return (
      <p className="prose-formula">
        <span className="block">{withLocalNumbers(block.formula)}</span>
        <span className="label block">{withLocalNumbers(block.says)}</span>
      </p>
    );
  if ('note' in block)
    return (
      <aside className="prose-note" aria-label={block.title}>
        <strong>{block.title}</strong> <InlineText text={block.note} />
      </aside>
    );
  const items = block.list.map((item) => (
    <li key={item}>
      <InlineText text={item} />
    </li>
  ));
  return block.ordered === true ? <ol>{items}</ol> : <ul>{items}</ul>;
}

export function RichText({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => <BlockOf key={index} block={block} />);
}
