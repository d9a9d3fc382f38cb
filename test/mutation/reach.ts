/** Setup file of the first run: records which functions of the probed file each test enters. */
import { beforeEach } from 'vitest';

type Probed = typeof globalThis & { mutationProbe?: (index: number) => void };

let entered = new Set<number>();
// Modules are shared between test files, so code that runs during imports counts for all tests.
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
