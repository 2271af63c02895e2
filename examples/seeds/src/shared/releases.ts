const channels = ['stable', 'mirror'];
const published = new Set<string>();

export const releases = {
  /** Publishing a version again changes nothing: a model may repeat a call, and so may a restart. */
  async publish(version: string): Promise<{ version: string; publishedTo: string[] }> {
    published.add(version);
    return { version, publishedTo: [...channels] };
  },
};
