import type { Output } from './output.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** What is done sooner needs no spinner. */
const DELAY_MS = 150

/** Turns beside `text` until the returned function is called; draws nothing where standard error is no terminal. */
export function startSpinner(output: Output, text: string): () => void {
  if (!output.hasProgress) return () => {}
  let frame = 0
  let isDrawn = false
  let timer = setTimeout(draw, DELAY_MS)
  function draw(): void {
    isDrawn = true
    output.control('\r')
    output.aside({ text: `${FRAMES[frame++ % FRAMES.length]} ${text}`, style: 'dim' })
    timer = setTimeout(draw, FRAME_MS)
  }
  return () => {
    clearTimeout(timer)
    if (isDrawn) output.control('\r\x1b[2K')
    isDrawn = false
  }
}
