import type { Recipe } from "../recipe.ts";
import { aggregate } from "./aggregate.ts";
import { arithmetic } from "./arithmetic.ts";
import { characters } from "./characters.ts";
import { column } from "./column.ts";
import { compose } from "./compose.ts";
import { count } from "./count.ts";
import { delegate } from "./delegate.ts";
import { describe } from "./describe.ts";
import { distinct } from "./distinct.ts";
import { extract } from "./extract.ts";
import { facts } from "./facts.ts";
import { filter } from "./filter.ts";
import { greeting } from "./greeting.ts";
import { group } from "./group.ts";
import { helpFor } from "./help.ts";
import { occurrences } from "./occurrences.ts";
import { report } from "./report.ts";
import { review } from "./review.ts";
import { sizes } from "./sizes.ts";
import { sort } from "./sort.ts";
import { summarise } from "./summarise.ts";
import { tag } from "./tag.ts";
import { transform } from "./transform.ts";

// prettier-ignore
const JOBS: readonly Recipe[] = [count, filter, group, sort, aggregate, distinct, column, describe, occurrences, characters, sizes, extract, tag, summarise, delegate, facts, compose, review, report, transform, arithmetic, greeting];

export const RECIPES: readonly Recipe[] = [...JOBS, helpFor(JOBS)];
