export interface Visit {
  /** Where it ended. */
  url: string
  status: number
  body: string
}

/** Someone with a browser that does little: keeps cookies, follows redirects, fills in forms. */
export interface OAuthUser {
  /** Opens a page of `startOAuthServer`, signs in as "ada" and answers, until a page comes that asks nothing. */
  visit(url: string, answer: 'allow' | 'deny'): Promise<Visit>
}

// Signing in takes about ten: two forms, each with redirects around it.
const MAX_STEPS = 30

export function createOAuthUser(): OAuthUser {
  const cookies = new Map<string, string>()

  async function load(url: string, body?: URLSearchParams): Promise<Response> {
    const { origin } = new URL(url)
    const own = [...cookies].filter(([key]) => key.startsWith(`${origin} `))
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: own.map(([key, value]) => `${key.slice(origin.length + 1)}=${value}`).join('; ') },
      ...(body && { method: 'POST', body }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(`${origin} ${name}`, value)
    }
    return response
  }

  return {
    async visit(start, answer) {
      let url = start
      let form: URLSearchParams | undefined
      for (let step = 0; step < MAX_STEPS; step++) {
        const response = await load(url, form)
        form = undefined
        const location = response.headers.get('location')
        if (location !== null) {
          await response.body?.cancel()
          url = new URL(location, url).href
          continue
        }
        const body = await response.text()
        const [, attributes, inside = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(body) ?? []
        if (attributes === undefined) return { url, status: response.status, body }
        form = new URLSearchParams()
        for (const [input] of inside.matchAll(/<input[^>]*>/g)) {
          form.set(attribute(input, 'name') ?? '', attribute(input, 'value') ?? '')
        }
        if (inside.includes('name="answer"')) form.set('answer', answer)
        url = new URL(attribute(attributes, 'action') ?? url, url).href
      }
      throw new Error(`No end after ${MAX_STEPS} pages, the last was ${url}`)
    },
  }
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
}
