import { z } from "zod";
import { defineTool, ToolFailure } from "./define.ts";
import { SEARCH_PROVIDERS } from "./search-providers.ts";

const Found = z.object({
  title: z.string(),
  url: z.string(),
  text: z.string().describe("What the page says about the query, in short."),
  published: z.string().optional().describe("When, as the provider tells it."),
});

export const webSearch = defineTool({
  name: "web.search",
  summary: "Searches the web: titles, addresses and short texts of pages.",
  description: `Through Brave Search, Tavily or a SearXNG server, whichever is set up, in this order.
Read a page with http.get. Fails with kind: no-provider, provider-refused, rate-limited, provider-failed, egress-refused, unreachable, timeout.`,
  input: z.strictObject({
    query: z
      .string()
      .max(400)
      .refine((query) => query.trim() !== "", "must not be empty")
      .describe("Words to look for."),
    limit: z.int().min(1).max(20).optional().describe("How many pages at most; 10 when left out."),
    site: z
      .string()
      .max(253)
      .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+$/i, "must be a domain such as example.com")
      .optional()
      .describe("Only pages of this domain."),
    since: z.enum(["day", "week", "month", "year"]).optional().describe("Only pages of the last day, week, …"),
  }),
  output: z.object({
    provider: z.string().describe("Who answered."),
    results: z.array(Found).describe("Best first."),
  }),
  effect: "read",
  approval: "never",
  examples: [
    {
      args: { query: "durable objects alarm limits", limit: 3, site: "developers.cloudflare.com" },
      result: {
        provider: "brave",
        results: [{ title: "Alarms", url: "https://developers.cloudflare.com/…", text: "An alarm …" }],
      },
    },
  ],
  execute: async ({ query, limit = 10, site, since }, context) => {
    const provider = SEARCH_PROVIDERS.find(({ setting }) => context.host.secret(setting) !== undefined);
    if (provider === undefined) {
      const settings = SEARCH_PROVIDERS.map(({ setting }) => `SECRET_${setting}`);
      throw new ToolFailure("no-provider", `No search provider is set up. Set one of: ${settings.join(", ")}.`, {
        settings,
      });
    }
    const pages = await provider.search({ query, limit, site, since }, context);
    return { provider: provider.name, results: pages.filter(isWebPage).slice(0, limit) };
  },
});

const isWebPage = ({ url }: { url: string }): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);
