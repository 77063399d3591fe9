/**
 * Takes HTTP/1.1 answers apart as they come in over one connection, one behind the other, without
 * judging what is in them.
 */

export interface RawAnswer {
  status: number;
  /** Status line and headers as they came, in lower case. */
  head: string;
  /** The first bytes of the body; the rest is only counted. */
  body: string;
  bytes: number;
  /** The other side closes the connection behind this answer. */
  closes: boolean;
}

const HEAD_MAX = 100_000;
/** Enough for every refusal of ours. */
const BODY_KEPT = 4_096;
const EMPTY = Buffer.alloc(0);

type Framing = { kind: 'length'; left: number } | { kind: 'chunks' } | { kind: 'end' };

interface Open {
  answer: RawAnswer;
  framing: Framing;
}

export class NotHttp extends Error {
  override readonly name = 'NotHttp';
}

export class AnswerParser {
  private rest: Buffer = EMPTY;
  private open: Open | null = null;

  /** `isHead`: whether the next answer is to a HEAD, which has a length and no body. */
  constructor(
    private readonly isHead: () => boolean,
    private readonly onAnswer: (answer: RawAnswer) => void,
  ) {}

  /** @throws NotHttp for what is no answer. */
  take(data: Buffer): void {
    this.rest = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    while (this.open === null ? this.takeHead() : this.takeBody(this.open));
  }

  /** The other side has ended: an answer without a length is complete by that. */
  end(): void {
    if (this.open?.framing.kind === 'end') this.finish(this.open);
  }

  private takeHead(): boolean {
    const at = this.rest.indexOf('\r\n\r\n');
    if (at < 0) {
      if (this.rest.length > HEAD_MAX) throw new NotHttp('The head of an answer has no end');
      return false;
    }
    const head = this.rest.toString('latin1', 0, at).toLowerCase();
    const status = Number(/^http\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new NotHttp(`No status line: ${head.slice(0, 80)}`);
    this.rest = this.rest.subarray(at + 4);
    // "Continue" and its like come before the answer.
    if (status < 200) return true;
    const closes = /\r\nconnection: close/.test(head);
    const answer = { status, head, body: '', bytes: 0, closes };
    this.open = { answer, framing: this.framingOf(status, head) };
    return true;
  }

  private framingOf(status: number, head: string): Framing {
    if (this.isHead() || status === 204 || status === 304) return { kind: 'length', left: 0 };
    if (/\r\ntransfer-encoding: chunked/.test(head)) return { kind: 'chunks' };
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    return length === undefined ? { kind: 'end' } : { kind: 'length', left: Number(length) };
  }

  private takeBody(open: Open): boolean {
    const { framing } = open;
    if (framing.kind === 'chunks') return this.takeChunk(open);
    const most = framing.kind === 'length' ? framing.left : Infinity;
    this.keep(open.answer, this.rest.subarray(0, Math.min(most, this.rest.length)));
    if (framing.kind === 'end') {
      this.rest = EMPTY;
      return false;
    }
    const taken = Math.min(most, this.rest.length);
    framing.left -= taken;
    this.rest = this.rest.subarray(taken);
    if (framing.left > 0) return false;
    this.finish(open);
    return this.rest.length > 0;
  }

  private takeChunk(open: Open): boolean {
    const at = this.rest.indexOf('\r\n');
    if (at < 0) return false;
    const size = Number.parseInt(this.rest.toString('latin1', 0, at), 16);
    if (Number.isNaN(size)) throw new NotHttp('A chunk without a size');
    if (this.rest.length < at + 2 + size + 2) return false;
    this.keep(open.answer, this.rest.subarray(at + 2, at + 2 + size));
    this.rest = this.rest.subarray(at + 2 + size + 2);
    if (size === 0) this.finish(open);
    return this.rest.length > 0;
  }

  private keep(answer: RawAnswer, piece: Buffer): void {
    answer.bytes += piece.length;
    if (answer.body.length < BODY_KEPT) answer.body += piece.toString('latin1', 0, BODY_KEPT);
  }

  private finish({ answer }: Open): void {
    this.open = null;
    this.onAnswer(answer);
  }
}
