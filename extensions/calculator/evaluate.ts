/** Nobody writes deeper by hand, and the stack has an end. */
const MAX_DEPTH = 64
/** Digits that a double holds surely: 0.1 + 0.2 is 0.3. */
const DIGITS = 15

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  round: (value, places = 0) => Math.round(value * 10 ** places) / 10 ** places,
  floor: Math.floor,
  ceil: Math.ceil,
  ln: Math.log,
  log10: Math.log10,
  exp: Math.exp,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  min: Math.min,
  max: Math.max,
}

/**
 * The value of an arithmetic expression, as text.
 * @throws {Error} in words for a model: what cannot be read, and where
 */
export function evaluate(expression: string): string {
  const tokens = tokenize(expression)
  let position = 0
  let depth = 0

  const peek = () => tokens[position]
  function accept(...texts: string[]): string | undefined {
    const token = tokens[position]
    if (token === undefined || typeof token.value === 'number' || !texts.includes(token.value))
      return undefined
    position++
    return token.value
  }
  function expect(text: string): void {
    if (accept(text) === undefined) throw unexpected(`expected "${text}"`)
  }
  function unexpected(wanted: string): Error {
    const token = peek()
    return new Error(
      token
        ? `cannot read "${token.value}" at character ${token.at}: ${wanted}`
        : `the expression ends too early: ${wanted}`,
    )
  }

  function sum(): number {
    if (++depth > MAX_DEPTH) throw new Error(`the expression is nested more than ${MAX_DEPTH} levels deep`)
    let value = product()
    for (let sign = accept('+', '-'); sign; sign = accept('+', '-'))
      value += sign === '+' ? product() : -product()
    depth--
    return value
  }
  function product(): number {
    let value = signed()
    for (let operator = accept('*', '/', '%'); operator; operator = accept('*', '/', '%')) {
      const right = signed()
      if (operator !== '*' && right === 0) throw new Error('a division by zero has no result')
      value = operator === '*' ? value * right : operator === '/' ? value / right : value % right
    }
    return value
  }
  /** `-2 ^ 2` is -4, as on paper. */
  function signed(): number {
    let isNegative = false
    for (let sign = accept('+', '-'); sign; sign = accept('+', '-'))
      if (sign === '-') isNegative = !isNegative
    const value = power()
    return isNegative ? -value : value
  }
  /** Binds from the right: `2 ^ 3 ^ 2` is 2 ^ 9. */
  function power(): number {
    const base = operand()
    if (!accept('^')) return base
    if (++depth > MAX_DEPTH) throw new Error(`the expression is nested more than ${MAX_DEPTH} levels deep`)
    const value = base ** signed()
    depth--
    return value
  }
  function operand(): number {
    const token = peek()
    if (token && typeof token.value === 'number') {
      position++
      return token.value
    }
    if (accept('(')) {
      const value = sum()
      expect(')')
      return value
    }
    const name = typeof token?.value === 'string' ? token.value.toLowerCase() : ''
    if (Object.hasOwn(CONSTANTS, name)) {
      position++
      return CONSTANTS[name] as number
    }
    const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (!run) throw unexpected('expected a number, a parenthesis, a constant or a function')
    position++
    expect('(')
    const values = [sum()]
    while (accept(',')) values.push(sum())
    expect(')')
    return run(...values)
  }

  const value = sum()
  if (position < tokens.length) throw unexpected('expected an operator, or the end')
  if (Number.isNaN(value)) throw new Error('that has no result among the real numbers')
  if (!Number.isFinite(value)) throw new Error('the result is too large')
  return format(value)
}

function format(value: number): string {
  if (Number.isSafeInteger(value)) return String(value + 0)
  const rounded = Number(value.toPrecision(DIGITS))
  // Of larger whole numbers the last digits are not known.
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? `about ${rounded.toExponential()}` : String(rounded)
}

interface Token {
  value: number | string
  /** From 1. */
  at: number
}

function tokenize(expression: string): Token[] {
  const tokens: Token[] = []
  const pattern =
    /\s*(?:(\d+(?:[_']\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-z][a-z0-9]*|\*\*|[-+*/%^(),×÷−·]))/iy
  let at = 0
  while (expression.slice(at).trim() !== '') {
    pattern.lastIndex = at
    const match = pattern.exec(expression)
    const start = at + (/^\s*/.exec(expression.slice(at))?.[0].length ?? 0)
    if (!match) throw new Error(`cannot read "${expression[start]}" at character ${start + 1}`)
    const [, number, symbol = ''] = match
    tokens.push({
      value: number === undefined ? plain(symbol) : Number(number.replace(/[_']/g, '')),
      at: start + 1,
    })
    at = pattern.lastIndex
  }
  return tokens
}

// What models copy out of texts.
const SPELLINGS = new Map([
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['**', '^'],
])

function plain(symbol: string): string {
  return SPELLINGS.get(symbol) ?? symbol
}
