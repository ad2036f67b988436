export const MAX_GZIP_KIB = 1024; // our target; Workers' free plan takes 3 MiB

export interface Upload {
  rawKiB: number;
  gzipKiB: number;
}

const UNITS: Record<string, number> = { B: 1 / 1024, KiB: 1, MiB: 1024 };

/** Reads wrangler's own measure: `Total Upload: 292.41 KiB / gzip: 71.03 KiB`. */
export function parseUpload(output: string): Upload | undefined {
  const match = /Total Upload: ([\d.]+) (B|KiB|MiB) \/ gzip: ([\d.]+) (B|KiB|MiB)/.exec(output);
  if (!match) return undefined;
  const kib = (value: string | undefined, unit: string | undefined): number =>
    Number(value) * (UNITS[unit ?? ""] ?? NaN);
  return { rawKiB: kib(match[1], match[2]), gzipKiB: kib(match[3], match[4]) };
}
