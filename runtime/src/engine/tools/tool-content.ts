import type { ResultPart } from '../../ports/model-shapes.ts';

/**
 * A result that the model reads as it stands, where a value is shown as its JSON text (RCD-27). Only tools of the
 * framework return one: a user's object is data, whatever it holds (TCALL-06).
 */
export class ToolContent {
  readonly parts: readonly ResultPart[];

  private constructor(parts: readonly ResultPart[]) {
    this.parts = parts;
  }

  static text(text: string): ToolContent {
    return new ToolContent([{ type: 'text', text }]);
  }
}
