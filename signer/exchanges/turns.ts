/** One after the other, in the order they came; what is urgent goes before what is not. */

interface Waiting {
  run: () => Promise<void>;
  urgent: boolean;
}

export class Turns {
  private readonly waiting: Waiting[] = [];
  private busy = false;

  take<T>(work: () => Promise<T>, urgent: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      const firstPatient = this.waiting.findIndex((one) => !one.urgent);
      if (urgent && firstPatient !== -1) this.waiting.splice(firstPatient, 0, { run, urgent });
      else this.waiting.push({ run, urgent });
      void this.goOn();
    });
  }

  private async goOn(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift())
      await next.run();
    this.busy = false;
  }
}
