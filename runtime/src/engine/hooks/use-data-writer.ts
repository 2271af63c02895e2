import * as v from 'valibot';
import { DATA_WRITER_OPTION_FIELDS } from '../../contract/names.ts';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import { isSyncSchema } from '../schema.ts';
import { assertWritable, claim, frameOf } from './frame.ts';
import { recordedValue } from './recorded-value.ts';

/**
 * Writes a named data part of the response, for clients; the model never sees it (DATA-07). The first write places the
 * part, later ones update it there, and a mount alone shows nothing (DATA-03). With a schema each value is parsed by it.
 *
 * Every render of an attempt has to declare the same names (DATA-02). The writer works in tools and event hooks while
 * the response runs, and throws for a value that is no JSON or that the schema refuses (DATA-04, DATA-06).
 */
export function useDataWriter<S extends v.GenericSchema>(
  name: string,
  options: { schema: S },
): (data: v.InferOutput<S>) => void;
export function useDataWriter(name: string): (data: unknown) => void;
export function useDataWriter(name: string, options?: { schema?: v.GenericSchema }): (data: unknown) => void {
  const frame = frameOf('useDataWriter');
  if (typeof name !== 'string' || name === '') {
    throw misuse('useDataWriter() takes a name that is not empty: clients find the part by it.', 'FLUE2402');
  }
  const schema = parseOptions(options);
  claim(frame, 'useDataWriter', name);
  frame.dataParts.push(name);

  const writer = `The writer of data part "${name}"`;
  return (data) => {
    assertWritable(frame, writer);
    const value = schema ? parsed(writer, schema, data) : data;
    const unset = 'Write null or another JSON value.';
    frame.inputs.writeData(name, recordedValue(writer, value, unset, { notJson: 'FLUE2407' }));
  };
}

function parseOptions(options: unknown): v.GenericSchema | undefined {
  if (options === undefined) return undefined;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw misuse('useDataWriter(): options must be an object.', 'FLUE2401');
  }
  const problem = unknownField(options, DATA_WRITER_OPTION_FIELDS);
  if (problem) throw misuse(`useDataWriter(): options ${problem}`, 'FLUE2401');
  const { schema } = options as { schema?: unknown };
  if (schema === undefined || isSyncSchema(schema)) return schema;
  throw misuse('useDataWriter(): schema must be a synchronous Valibot schema.', 'FLUE2401');
}

function parsed(writer: string, schema: v.GenericSchema, data: unknown): unknown {
  const result = v.safeParse(schema, data);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => {
    const path = v.getDotPath(issue);
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw misuse(`${writer} got a value that its schema refuses: ${issues.join('; ')}.`);
}
