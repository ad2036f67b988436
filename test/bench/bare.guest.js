// The least an isolate can be: what our cells are measured against.
import { WorkerEntrypoint } from "cloudflare:workers";

export default class Bare extends WorkerEntrypoint {
  run() {
    return 1;
  }
}
