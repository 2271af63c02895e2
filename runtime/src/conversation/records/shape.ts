import * as v from 'valibot';
import { matches } from '../../contract/matches.ts';
import { RECORD_VERSION } from './envelope.ts';
import { RECORD_SCHEMAS, type RecordType } from './union.ts';

export interface ShapeFault {
  /** `'unknown'` when the record does not even say */
  readonly recordType: string;
  readonly problem: string;
  /** a type, a version or a member of a closed set that this version does not know (RCD-07) */
  readonly foreign: boolean;
}

/** RCD-50, and RCD-07's right to pass over what a newer version marked as harmless. */
export function judgeShape(value: unknown): 'known' | 'skip' | ShapeFault {
  if (typeof value !== 'object' || value === null) {
    return { recordType: 'unknown', problem: 'it is no JSON object', foreign: false };
  }
  const { type, v: version, skip } = value as { type?: unknown; v?: unknown; skip?: unknown };
  if (typeof type !== 'string') return { recordType: 'unknown', problem: 'it has no type', foreign: false };
  const fault = judgeKnown(value, type, version);
  if (!fault) return 'known';
  return fault.foreign && skip === true ? 'skip' : fault;
}

function judgeKnown(value: object, type: string, version: unknown): ShapeFault | undefined {
  if (!Object.hasOwn(RECORD_SCHEMAS, type))
    return { recordType: type, problem: 'its type is unknown', foreign: true };
  if (version !== RECORD_VERSION) {
    return {
      recordType: type,
      problem: `its version is ${JSON.stringify(version)}`,
      foreign: typeof version === 'number',
    };
  }
  const schema = RECORD_SCHEMAS[type as RecordType];
  // Every record of a reply passes here, its own ones too, and next to none is at fault.
  if (matches(schema, value)) return undefined;
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return undefined;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  return {
    recordType: type,
    problem: path ? `${path}: ${issue.message}` : issue.message,
    foreign: isOutsideClosedSet(issue),
  };
}

/** A string where one of some other strings belongs: a set that grew, not a broken record. */
function isOutsideClosedSet(issue: v.BaseIssue<unknown>): boolean {
  const { type, input } = issue;
  return typeof input === 'string' && (type === 'picklist' || type === 'literal' || type === 'variant');
}
