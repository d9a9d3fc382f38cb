/** Set up before each test file of the first run: notes which functions of the probed file each test enters. */
import { beforeEach } from 'vitest';

type Probed = typeof globalThis & { mutationProbe?: (index: number) => void };

let entered = new Set<number>();
// Modules are shared between test files, so what ran while one was imported may be needed by all.
const whileLoading = entered;

(globalThis as Probed).mutationProbe = (index) => {
  entered.add(index);
};

beforeEach(({ task, onTestFinished }) => {
  const mine = new Set<number>();
  entered = mine;
  onTestFinished(() => {
    entered = whileLoading;
    Object.assign(task.meta, { entered: [...mine], whileLoading: [...whileLoading] });
  });
});
