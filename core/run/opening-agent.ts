/** Flows whose first agent is not named like the flow itself. */
const firstAgents: Readonly<Record<string, string>> = { research: 'fetcher' };

/** The agent that a flow's opening message is for: a flow of one agent bears that agent's name. */
export function openingAgent(flow: string): string {
  return (Object.hasOwn(firstAgents, flow) ? firstAgents[flow] : undefined) ?? flow;
}
