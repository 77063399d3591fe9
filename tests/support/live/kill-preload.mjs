/**
 * Loaded before a process of a kill test. Its clock is the machine's, moved on by what stands in
 * CLOCK_FILE. Every write to the database or a journal and every send is counted, and just before
 * or after the KILL_AT-th the process kills itself with SIGKILL. Nothing of the product knows of it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { isMainThread, Worker } from 'node:worker_threads';

const { CLOCK_FILE, KILL_AT, KILL_LOG } = process.env;
const { readFileSync, writeSync, appendFileSync, fdatasyncSync, renameSync } = fs;

function moveClock(file) {
  const Real = Date;
  const now = () => Real.now() + Number(readFileSync(file, 'utf8'));
  globalThis.Date = class extends Real {
    constructor(...parts) {
      if (parts.length === 0) super(now());
      else super(...parts);
    }
    static now() {
      return now();
    }
  };
}

let points = 0;
/** In this state of the world nothing more happens, if it is the one to be killed in. */
function point(what) {
  points += 1;
  if (points !== Number(KILL_AT)) return;
  appendFileSync(KILL_LOG, `${points} ${what}\n`);
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Before and after each one. */
const around = (what, work) => {
  point(`before ${what}`);
  const result = work();
  point(`after ${what}`);
  return result;
};

/** PGlite lives in a thread: what is told to it is a commit, a statement of its own, or neither. */
function countDatabase() {
  const post = Worker.prototype.postMessage;
  let isWithin = false;
  Worker.prototype.postMessage = function counted(message, ...rest) {
    const { act, commit, text } = message?.ask ?? {};
    const send = () => post.call(this, message, ...rest);
    if (act === 'begin') isWithin = true;
    if (act === 'end') isWithin = false;
    const isWrite = act === 'query' && !isWithin && /^\s*(insert|update|delete)/i.test(text);
    return (act === 'end' && commit) || isWrite ? around('a commit', send) : send();
  };
}

function countFiles() {
  fs.writeSync = (...args) => around('a write', () => writeSync(...args));
  fs.fdatasyncSync = (...args) => around('a sync', () => fdatasyncSync(...args));
  fs.renameSync = (...args) => around('a rename', () => renameSync(...args));
  syncBuiltinESMExports();
}

function countSends() {
  const { write } = net.Socket.prototype;
  net.Socket.prototype.write = function counted(...args) {
    if (this === process.stdout || this === process.stderr) return write.apply(this, args);
    return around('a send', () => write.apply(this, args));
  };
}

if (isMainThread) {
  if (CLOCK_FILE !== undefined) moveClock(CLOCK_FILE);
  if (KILL_AT !== undefined) {
    countDatabase();
    countFiles();
    countSends();
  }
}
