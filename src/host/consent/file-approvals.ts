/** Persistent approvals: one file each, so that deleting a file revokes an approval. */
import { isObject } from '../../jsonrpc/message.ts';
import { checkText } from '../../model/check-argument.ts';
import type { Approval, ApprovalStore } from './approvals.ts';
import { RecordFolder } from './record-folder.ts';

const ENDING = 'approval';
const texts: readonly (keyof Approval)[] = ['id', 'server', 'kind', 'name', 'principal', 'rule'];

/** Stores approvals in a folder, which is created on first use with mode 0700. */
export function fileApprovals(folder: string): Required<ApprovalStore> {
  checkText(folder, 'fileApprovals(folder)', 'the path of a folder');
  const records = new RecordFolder(folder);
  return {
    list: () => records.list(ENDING, isApproval),
    async add(approval) {
      await records.create(`${approval.id}.${ENDING}`, approval);
    },
    remove: (id) => records.remove(`${id}.${ENDING}`),
    key: () => records.key(),
  };
}

function isApproval(value: unknown): value is Approval {
  if (!isObject(value) || !texts.every((key) => typeof value[key] === 'string')) return false;
  const { until, definition, fingerprint, arguments: hash } = value;
  const optional = [definition, fingerprint, hash].every((one) => one === undefined || typeof one === 'string');
  return optional && typeof until === 'number';
}
