/**
 * Lets the event loop look at the network. Messages between isolates and objects of one process never do: who makes one after
 * another keeps every other request waiting. A timer does (K2).
 */
export const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
