import { type FakeClock, fakeClock } from '../../testing/fake-clock.ts';
import type { LogLine } from '../logger.ts';
import type { Correlation, FlueEventType, FlueObservation } from './event.ts';
import { type EventPorts, Events } from './events.ts';
import { observe } from './observe.ts';

/** An emitting context without a runtime; what it prints is kept. */
export function testEvents(
  place: Correlation = { instanceId: 'a', agentName: 'Desk', submissionId: 'sub_1' },
  ports: Partial<EventPorts> = {},
): { readonly events: Events; readonly clock: FakeClock; readonly printed: LogLine[] } {
  const clock = fakeClock();
  const printed: LogLine[] = [];
  const events = new Events(
    {
      clock,
      env: {},
      redact: () => same,
      print: (line) => printed.push(line),
      requestOf: () => undefined,
      ...ports,
    },
    place,
  );
  return { events, clock, printed };
}

const listening: (() => void)[] = [];

/** Everything that is observed from now on, until `silence()`. */
export function hear(types?: readonly FlueEventType[]): FlueObservation[] {
  const heard: FlueObservation[] = [];
  listening.push(observe((event) => void heard.push(event), types && { types }));
  return heard;
}

const same = (text: string) => text;

export function silence(): void {
  for (const stop of listening.splice(0)) stop();
}

export function ofEvent<T extends FlueEventType>(
  heard: readonly FlueObservation[],
  type: T,
): Extract<FlueObservation, { type: T }>[] {
  return heard.filter((event): event is Extract<FlueObservation, { type: T }> => event.type === type);
}
