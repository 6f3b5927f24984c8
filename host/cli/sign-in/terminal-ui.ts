import stringWidth from 'fast-string-width'
import type { SignInEvent } from '../../capabilities/sign-in-session.ts'
import type { DeviceFlowPrompt } from '../../oauth/device-flow.ts'
import type { SignInUi } from '../../runtime/sign-in.ts'
import type { Cli } from '../cli.ts'
import { createHiddenLine } from '../terminal/hidden-line.ts'
import type { Piece } from '../terminal/output.ts'
import { sanitizeLabel } from '../terminal/sanitize.ts'
import { startSpinner } from '../terminal/spinner.ts'
import { wrap } from '../terminal/table.ts'
import { type FormSources, fillForm } from './fill-form.ts'

export interface TerminalUiOptions extends FormSources {
  provider: string
  json: boolean
  openBrowser: (url: string) => Promise<unknown>
  /** Ctrl-C while the terminal is asked for something. */
  interrupted(): void
}

export interface TerminalUi extends SignInUi, Disposable {
  /** Lets `print` write lines on standard error without tearing what is drawn there. */
  interject(print: () => void): void
}

/** Longest line of prose. */
const MAX_COLUMNS = 76
const PASTE =
  'Where that browser cannot reach this machine, paste the address that it ends on. What you paste does not show.'
const QUESTION = 'Paste it here: '

/** Signs in on a terminal, or beside a script: what is to be done goes to standard error, events as JSON to standard output. */
export function createTerminalUi(cli: Cli, options: TerminalUiOptions): TerminalUi {
  const { output, canAsk } = cli
  const { provider, json, openBrowser } = options
  const hidden = canAsk ? createHiddenLine(cli, options.interrupted) : undefined
  let stopSpinner: (() => void) | undefined
  let waitingFor: string | undefined
  let isPasteExplained = false

  /** Turns a spinner until something is said, and on after it; undefined for good. */
  function spin(text: string | undefined): void {
    stopSpinner?.()
    waitingFor = text
    stopSpinner = text === undefined ? undefined : startSpinner(output, text)
  }

  function say(text: string, style?: 'dim' | 'yellow'): void {
    const lines = wrap(text, Math.min(output.width, MAX_COLUMNS))
    interject(() => {
      for (const line of lines) output.note(...(style ? [{ text: line, style }] : [line]))
    })
  }

  function interject(print: () => void): void {
    stopSpinner?.()
    if (hidden) hidden.interject(print)
    else print()
    spin(waitingFor)
  }

  function show(event: SignInEvent): void {
    switch (event.type) {
      case 'visit':
        say(`Open this page to sign in to ${provider}:`)
        // In one piece, whatever the width: it is to be copied.
        output.note({ text: event.url, style: 'cyan' })
        return
      case 'browser-opened':
        say('A browser was opened. Finish there.', 'dim')
        return
      case 'browser-failed':
        say(`No browser was opened: ${event.reason.replace(/^Cannot open a browser: /, '')}.`, 'dim')
        return
      case 'ignored':
      case 'paste-refused':
        say(event.message, 'yellow')
        return
      case 'received':
        say('The answer came. Finishing...', 'dim')
        return
      case 'slowed-down':
        say(`The service asks to wait ${seconds(event.intervalMs)} between questions.`, 'dim')
        return
      case 'retrying':
        say(`${event.reason}. Trying again in ${seconds(event.waitMs)}.`, 'yellow')
        return
      case 'signed-in':
        spin('asking for the models')
        return
      case 'listening':
      case 'device-code':
        return
      default:
        event satisfies never
    }
  }

  function showDeviceCode(prompt: DeviceFlowPrompt & { expiresInMs: number }): void {
    output.note({ text: prompt.headline || `Sign in to ${provider}`, style: 'bold' })
    if (prompt.description) say(prompt.description)
    output.note()
    for (const line of box(prompt.userCode, output.width)) output.note(...line)
    output.note()
    say('Copy the code, and open this page on any device:')
    output.note({ text: prompt.verificationUrl, style: 'cyan' })
    say(`It is good for ${minutes(prompt.expiresInMs)}. Ctrl-C stops.`, 'dim')
    spin('waiting for you to confirm')
  }

  return {
    form: form => fillForm(cli, form, options),
    openBrowser,
    interject,
    showDeviceCode,
    ...(hidden && {
      async readPasted(signal: AbortSignal) {
        if (!isPasteExplained) say(PASTE, 'dim')
        isPasteExplained = true
        return hidden.ask(QUESTION, signal)
      },
    }),
    progress(event) {
      if (json) output.json(event)
      show(event)
    },
    [Symbol.dispose]() {
      spin(undefined)
      hidden?.[Symbol.dispose]()
    },
  }
}

/** The code, large: alone in a frame, and in one piece to be copied. */
function box(code: string, width: number): Piece[][] {
  const text = sanitizeLabel(code)
  const columns = stringWidth(text)
  const bold: Piece = { text, style: 'bold' }
  if (columns + 8 > width) return [[bold]]
  const rule = '─'.repeat(columns + 4)
  return [[`  ┌${rule}┐`], ['  │  ', bold, '  │'], [`  └${rule}┘`]]
}

function seconds(ms: number): string {
  const count = Math.ceil(ms / 1000)
  return count === 1 ? '1 second' : `${count} seconds`
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000)
  return count < 2 ? seconds(ms) : `${count} minutes`
}
