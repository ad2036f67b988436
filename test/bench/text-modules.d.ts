/** Bundled as text (`rules` in wrangler.toml): the source of an isolate, not a part of the Worker. */
declare module "*.guest.js" {
  const text: string;
  export default text;
}
