import type { CompletionEvent, TokenUsage } from '../contract/events.ts'
import type { Output } from './terminal/output.ts'
import { sanitizeLabel } from './terminal/sanitize.ts'

export interface EventPrinter {
  print(event: CompletionEvent): void
  /** Ends a line that is still open; call it on success and on failure. */
  end(): void
}

/** Tool input longer than this is shown cut; `--json` has all of it. */
const MAX_INPUT_CHARS = 2_000

/**
 * An answer for a person: text as it comes on standard output, thinking dimmed beside it where there is a terminal,
 * tool calls and images each on a line, and a note where the answer did not end by itself.
 */
export function createEventPrinter(output: Output): EventPrinter {
  let isTextOpen = false
  let isThinkingOpen = false

  function endThinking(): void {
    if (isThinkingOpen) output.note()
    isThinkingOpen = false
  }
  function endText(): void {
    if (isTextOpen) output.line()
    isTextOpen = false
  }
  function line(text: string): void {
    endThinking()
    endText()
    output.line({ text, style: 'cyan' })
  }
  function note(text: string): void {
    endThinking()
    endText()
    output.note({ text: `airlock: ${text}`, style: 'yellow' })
  }

  function print(event: CompletionEvent): void {
    switch (event.type) {
      case 'text':
        endThinking()
        output.write(event.text)
        if (event.text !== '') isTextOpen = !event.text.endsWith('\n')
        return
      case 'thinking':
        if (!output.hasProgress || event.text === '') return
        endText()
        output.aside({ text: event.text, style: 'dim' })
        isThinkingOpen = true
        return
      case 'tool-use':
        line(`→ ${sanitizeLabel(event.name)} ${shorten(sanitizeLabel(event.input))}`)
        return
      case 'tool-use-json-parse-error':
        note(`the call of ${sanitizeLabel(event.name)} cannot be run: ${sanitizeLabel(event.error)}`)
        return
      case 'image':
        line(describeImage(event))
        return
      case 'citation': {
        const parts = [event.title, event.url].filter(part => part !== undefined)
        line(`[${sanitizeLabel(parts.join(' ') || (event.text ?? 'source'))}]`)
        return
      }
      case 'stop':
        if (event.reason === 'max-tokens') note('the answer was cut off at its token limit')
        if (event.reason === 'refusal') note('the model declined to answer')
        if (event.reason === 'content-filter') note("the service's content filter ended the answer")
        return
      case 'started':
      case 'response-metadata':
      case 'redacted-thinking':
      case 'tool-input-delta':
      case 'reasoning-details':
      case 'provider-content':
      case 'usage':
        return
      default:
        event satisfies never
    }
  }
  return {
    print,
    end() {
      endThinking()
      endText()
    },
  }
}

/** Usage in a few words, e.g. `12 tokens in, 34 out (20 of them thinking), $0.00041`. */
export function describeUsage({ inputTokens, outputTokens, reasoningTokens, cost }: TokenUsage): string {
  const thinking = reasoningTokens ? ` (${reasoningTokens} of them thinking)` : ''
  const price = cost ? `, ${describeCost(cost.total)}` : ''
  return `${inputTokens} tokens in, ${outputTokens} out${thinking}${price}`
}

/** Cents where there are some; of less, the first two digits. */
function describeCost(dollars: number): string {
  if (dollars === 0) return 'free'
  const digits = dollars >= 1 ? 2 : 1 - Math.floor(Math.log10(dollars))
  return `$${dollars.toFixed(Math.min(digits, 10))}`
}

function describeImage({ source, mediaType }: { source: string; mediaType?: string }): string {
  if (mediaType === undefined) return `[image ${sanitizeLabel(source)}]`
  // Three bytes in four characters.
  return `[image ${sanitizeLabel(mediaType)}, ${Math.ceil((source.length * 3) / 4 / 1024)} KiB; --json has it]`
}

function shorten(text: string): string {
  return text.length > MAX_INPUT_CHARS ? `${text.slice(0, MAX_INPUT_CHARS).toWellFormed()}…` : text
}
