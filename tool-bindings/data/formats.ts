import { DateTime } from "luxon";

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const isHost = (text: string): boolean => text.length <= 253 && text.split(".").every((label) => LABEL.test(label));
const isIpv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text);

/** The formats of JSON Schema that are checked; others are taken as notes. Every expression is anchored and linear. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => /^\d{4}-\d{2}-\d{2}[Tt ]/.test(text) && isTime(text) && /(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isTime(text),
  time: (text) =>
    /^\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})?$/.test(text) && isTime(`2000-01-01T${text}`),
  email: (text) => {
    const at = text.lastIndexOf("@");
    return at > 0 && at <= 64 && !/[\s@]/.test(text.slice(0, at)) && isHost(text.slice(at + 1));
  },
  hostname: isHost,
  ipv4: isIpv4,
  ipv6: (text) => text.length <= 45 && /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S*$/i.test(text) && URL.canParse(text),
  "uri-reference": (text) => !/[\s<>"{}|\\^`]/.test(text),
  uuid: (text) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
};

const isTime = (text: string): boolean =>
  text.length <= 40 && DateTime.fromISO(text.replace(" ", "T").toUpperCase()).isValid;
