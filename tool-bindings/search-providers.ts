import { z } from "zod";
import { type ToolContext, ToolFailure } from "./define.ts";
import { callProvider, type ProviderRequest } from "./provider.ts";
import type { Secret } from "./redaction.ts";

export interface SearchQuery {
  query: string;
  limit: number;
  site: string | undefined;
  since: "day" | "week" | "month" | "year" | undefined;
}

export interface FoundPage {
  title: string;
  url: string;
  text: string;
  published?: string;
}

export interface SearchProvider {
  name: string;
  /** The secret whose presence sets it up. */
  setting: string;
  search(query: SearchQuery, context: ToolContext): Promise<FoundPage[]>;
}

const BraveAnswer = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          description: z.string().default(""),
          page_age: z.string().nullish(),
          age: z.string().nullish(),
        }),
      ),
    })
    .nullish(), // left out when nothing was found
});

const brave: SearchProvider = {
  name: "brave",
  setting: "BRAVE_API_KEY",
  search: async ({ query, limit, site, since }, context) => {
    const key = keyOf(brave, context);
    const parameters = new URLSearchParams({
      q: withSite(query, site),
      count: String(limit),
      result_filter: "web",
      text_decorations: "false",
    });
    if (since !== undefined) parameters.set("freshness", { day: "pd", week: "pw", month: "pm", year: "py" }[since]);
    const answer = await ask(BraveAnswer, context, {
      service: "Brave Search",
      method: "GET",
      base: { url: "https://api.search.brave.com", setting: "BRAVE_BASE_URL" },
      path: `/res/v1/web/search?${parameters}`,
      headers: { "x-subscription-token": key.value },
      key,
    });
    return (answer.web?.results ?? []).map(({ title, url, description, page_age, age }) => ({
      title,
      url,
      text: description,
      ...published(page_age ?? age),
    }));
  },
};

const TavilyAnswer = z.object({
  results: z.array(
    z.object({ title: z.string(), url: z.string(), content: z.string(), published_date: z.string().nullish() }),
  ),
});

const tavily: SearchProvider = {
  name: "tavily",
  setting: "TAVILY_API_KEY",
  search: async ({ query, limit, site, since }, context) => {
    const key = keyOf(tavily, context);
    const answer = await ask(TavilyAnswer, context, {
      service: "Tavily",
      method: "POST",
      base: { url: "https://api.tavily.com", setting: "TAVILY_BASE_URL" },
      path: "/search",
      headers: { authorization: `Bearer ${key.value}` },
      body: {
        query,
        max_results: limit,
        ...(site === undefined ? {} : { include_domains: [site] }),
        ...(since === undefined ? {} : { time_range: since }),
      },
      key,
    });
    return answer.results.map(({ title, url, content, published_date }) => ({
      title,
      url,
      text: content,
      ...published(published_date),
    }));
  },
};

const SearxngAnswer = z.object({
  results: z.array(
    z.object({
      title: z.string(),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});

/** A server of one's own: no key, but its settings must allow the format `json`. */
const searxng: SearchProvider = {
  name: "searxng",
  setting: "SEARXNG_URL",
  search: async ({ query, site, since }, context) => {
    const parameters = new URLSearchParams({ q: withSite(query, site), format: "json" });
    if (since !== undefined) parameters.set("time_range", since);
    const answer = await ask(SearxngAnswer, context, {
      service: "SearXNG",
      method: "GET",
      base: { url: "", setting: searxng.setting },
      path: `/search?${parameters}`,
      headers: {},
    });
    return answer.results.map(({ title, url, content, publishedDate }) => ({
      title,
      url,
      text: content ?? "",
      ...published(publishedDate),
    }));
  },
};

export const SEARCH_PROVIDERS: readonly SearchProvider[] = [brave, tavily, searxng];

const withSite = (query: string, site: string | undefined): string =>
  site === undefined ? query : `${query} site:${site}`;

const published = (when: string | null | undefined): { published?: string } =>
  when === null || when === undefined ? {} : { published: when };

const keyOf = ({ setting }: SearchProvider, { host }: ToolContext): Secret => ({
  name: setting,
  value: host.secret(setting) ?? "", // a provider is asked only when it is set
});

async function ask<T>(answer: z.ZodType<T>, context: ToolContext, request: ProviderRequest): Promise<T> {
  const parsed = answer.safeParse(await callProvider(request, context));
  if (parsed.success) return parsed.data;
  throw new ToolFailure("provider-failed", `${request.service} answered in a form that is not its own.`);
}
