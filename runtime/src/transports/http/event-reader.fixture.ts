/** Reads an event stream frame by frame, as a client's parser would. */

export interface Frame {
  event?: string;
  id?: string;
  retry?: string;
  comment?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  data?: any;
}

export interface EventReader {
  /** the next frame; `undefined` once the body has ended */
  next(): Promise<Frame | undefined>;
  /** frames up to and including the first one that fits */
  until(fits: (frame: Frame) => boolean): Promise<Frame[]>;
  cancel(): Promise<void>;
}

export function readEvents(response: Response): EventReader {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';

  async function next(): Promise<Frame | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const frame = parseFrame(text.slice(0, end));
        text = text.slice(end + 2);
        return frame;
      }
      const { done, value } = await reader.read();
      if (done) {
        if (text !== '') throw new Error(`a partial frame: ${text}`);
        return undefined;
      }
      text += value;
    }
  }

  return {
    next,
    async until(fits) {
      const frames: Frame[] = [];
      for (;;) {
        const frame = await next();
        if (!frame) throw new Error(`ended before it came: ${JSON.stringify(frames)}`);
        frames.push(frame);
        if (fits(frame)) return frames;
      }
    },
    cancel: () => reader.cancel(),
  };
}

function parseFrame(text: string): Frame {
  const frame: Frame = {};
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const field = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (field === '') frame.comment = value;
    else if (field === 'data') frame.data = JSON.parse(value);
    else if (field === 'event' || field === 'id' || field === 'retry') frame[field] = value;
  }
  return frame;
}
