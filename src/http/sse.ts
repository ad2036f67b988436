import type { CoordinatorApi } from "../contract/coordinator.ts";

const HEARTBEAT_MS = 15_000; // proxies close what is silent for 30 s or more

/**
 * The events of a run as a stream that ends with the run.
 *
 * It pulls: each round asks the coordinator for what came after the last id it sent. So nothing is lost or repeated when
 * the coordinator is evicted in between, and a client that went away is noticed at the next write.
 */
export function streamEvents(
  signal: AbortSignal,
  source: { coordinator: CoordinatorApi; run: string; after: number },
): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const send = (text: string): Promise<void> => writer.write(encoder.encode(text));
  let last = source.after;
  const pump = async (): Promise<void> => {
    await send("retry: 1000\n\n");
    while (!signal.aborted) {
      const page = await source.coordinator.events(source.run, last, HEARTBEAT_MS);
      if (!page.ok) break;
      const { events, ended } = page.value;
      for (const { id, ...event } of events) {
        await send(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        last = id;
      }
      if (events.length === 0 && ended) break;
      if (events.length === 0) await send(": heartbeat\n\n");
    }
    await writer.close();
  };
  // A write fails when the client is gone, a read when the runtime is: either way the stream is over.
  pump().catch((error: unknown) => writer.abort(error).catch(() => {}));
  return new Response(readable, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
