/** What generated code says of one agent (TCLI-04). */
export interface AgentContract {
  identity: string;
  /** what a creating send may carry, as JSON; includes `undefined` where it may be left out */
  initialData: unknown;
  hasSchema: boolean;
  /** by name, as readers see it */
  data: Record<string, unknown>;
  tools: Record<string, { input: unknown; output: unknown }>;
  /** names of tools that are not in `tools`; `never` when there are none */
  openTools: string;
}
