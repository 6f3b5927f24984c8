import type { IgnoredReason } from './callback-request.ts'
import type { CallbackPage } from './page.ts'

/** Who is named on the pages. */
export interface PageNames {
  /** The program that waits, e.g. "Airlock". */
  app: string
  /** Where the user signed in: the host of the authorization URL. */
  service: string
}

/** The browser brought the answer. What the extension makes of it is not known yet, so the page does not say it. */
export function receivedPage({ app, service }: PageNames): CallbackPage {
  return {
    tone: 'good',
    title: 'You can close this tab',
    paragraphs: [
      `${service} has sent its answer to ${app}.`,
      `Go back to ${app}: it finishes signing in there and says whether that worked.`,
    ],
  }
}

/** The service ended the sign-in. `said` has been made plain text. */
export function refusedPage({ app, service }: PageNames, denied: boolean, said: string): CallbackPage {
  return {
    tone: 'bad',
    title: denied ? 'You are not signed in' : 'Signing in failed',
    paragraphs: [
      denied ? `${service} reports that access was denied:` : `${service} reports an error:`,
      `Nothing was stored. To try again, start signing in from ${app} once more.`,
    ],
    quote: said,
  }
}

/** The sign-in that this server belongs to is over, and this is not the answer that ended it. */
export function overPage({ app }: PageNames): CallbackPage {
  return {
    tone: 'neutral',
    title: 'This sign-in is over',
    paragraphs: [
      `${app} has its answer already and took nothing from this page.`,
      `If you are not signed in, start again from ${app}.`,
    ],
  }
}

/** What to say to a request that was not the answer. Undefined where nobody reads it. */
export function ignoredPage({ app, service }: PageNames, reason: IgnoredReason): CallbackPage | undefined {
  switch (reason) {
    case 'wrong-state':
    case 'missing-state':
      return {
        tone: 'bad',
        title: 'This is not the sign-in that is waiting',
        paragraphs: [
          `${app} took nothing from this page: it does not carry the mark of the sign-in that ${app} started. It may come from an older tab.`,
          `You are not signed in yet. ${app} still waits: go to the tab that it opened last, or open the address that it shows.`,
        ],
      }
    case 'incomplete':
    case 'repeated-parameter':
    case 'not-a-navigation':
      return {
        tone: 'bad',
        title: 'This answer is not complete',
        paragraphs: [
          `${app} took nothing from this page: it does not bring what ${service} sends at the end of a sign-in.`,
          `You are not signed in yet. ${app} still waits: finish in the tab that it opened, or open the address that it shows.`,
        ],
      }
    case 'other-path':
    case 'other-method':
      return {
        tone: 'neutral',
        title: 'There is nothing here',
        paragraphs: [`${app} waits at another address for the end of a sign-in.`],
      }
    case 'foreign-host':
    case 'prefetch':
    case 'preflight':
    case 'probe':
      return undefined
    default:
      return reason satisfies never
  }
}
