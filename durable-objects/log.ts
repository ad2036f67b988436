/** Where the log of an agent is kept: beside the run's workspace, out of reach of its files. */
export const logKey = (workspace: string, agent: string): string => `logs/${workspace}/${agent}.json`;
