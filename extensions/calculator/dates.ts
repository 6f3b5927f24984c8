/** A day of the Gregorian calendar, without a time or a place. */
export interface CalendarDate {
  year: number
  /** 1 to 12. */
  month: number
  day: number
}

export interface Span {
  readonly years?: number
  readonly months?: number
  readonly weeks?: number
  readonly days?: number
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const DAY_MS = 86_400_000
const MAX_YEAR = 9999

export function today(): CalendarDate {
  return fromDays(Math.floor(Date.now() / DAY_MS))
}

/** @throws {Error} in words for a model */
export function parseDate(text: string): CalendarDate {
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text.trim()) ?? []
  if (year === undefined) throw new Error(`"${text}" is no date: write YYYY-MM-DD, e.g. 2024-02-29`)
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  if (date.month < 1 || date.month > 12) throw new Error(`"${text}" is no date: months go from 1 to 12`)
  const last = daysIn(date.year, date.month)
  if (date.day < 1 || date.day > last) throw new Error(`"${text}" is no date: that month has ${last} days`)
  return date
}

export function formatDate(date: CalendarDate): string {
  const pad = (part: number, length: number) => String(part).padStart(length, '0')
  const weekday = WEEKDAYS[(((toDays(date) + 4) % 7) + 7) % 7]
  return `${pad(date.year, 4)}-${pad(date.month, 2)}-${pad(date.day, 2)}, a ${weekday}`
}

/** Years and months first, then weeks and days, as people reckon. */
export function addToDate(
  date: CalendarDate,
  { years = 0, months = 0, weeks = 0, days = 0 }: Span,
): CalendarDate {
  const sum = fromDays(toDays(addMonths(date, years * 12 + months)) + weeks * 7 + days)
  if (!(sum.year >= 0 && sum.year <= MAX_YEAR))
    throw new Error(`that date is beyond the years 0 to ${MAX_YEAR}`)
  return sum
}

export function describeDifference(from: CalendarDate, to: CalendarDate): string {
  const days = toDays(to) - toDays(from)
  const [first, last] = days < 0 ? [to, from] : [from, to]
  let months = (last.year - first.year) * 12 + last.month - first.month
  if (toDays(addMonths(first, months)) > toDays(last)) months--
  const rest = toDays(last) - toDays(addMonths(first, months))
  const whole = Math.abs(days)
  return [
    `from ${formatDate(from)}, to ${formatDate(to)}: ${days} ${days === 1 ? 'day' : 'days'}`,
    `${listSpans([
      [Math.floor(whole / 7), 'week'],
      [whole % 7, 'day'],
    ])}`,
    `${listSpans([
      [Math.floor(months / 12), 'year'],
      [months % 12, 'month'],
      [rest, 'day'],
    ])}`,
  ].join('\n')
}

function listSpans(spans: readonly (readonly [count: number, unit: string])[]): string {
  const parts = spans
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
  return parts.length > 0 ? parts.join(', ') : 'no time'
}

function addMonths({ year, month, day }: CalendarDate, months: number): CalendarDate {
  const count = year * 12 + month - 1 + months
  const to = { year: Math.floor(count / 12), month: (((count % 12) + 12) % 12) + 1 }
  return { ...to, day: Math.min(day, daysIn(to.year, to.month)) }
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

/** Days since 1970-01-01. */
function toDays({ year, month, day }: CalendarDate): number {
  // Date takes years below 100 for those of the last century; 400 years have the same days whenever they are.
  return Date.UTC(year + 400, month - 1, day) / DAY_MS - DAYS_OF_400_YEARS
}

const DAYS_OF_400_YEARS = 146_097

function fromDays(days: number): CalendarDate {
  const date = new Date(days * DAY_MS)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
