declare module 'airlock:llm/http-client@0.1.0' {
  /**
   * Sends the request; a status outside 200-299 is an error that names the status.
   */
  export function fetch(request: HttpRequest): HttpResponse;
  /**
   * Sends the request; every status is a success. Only a failed exchange is an error.
   */
  export function fetchFallible(request: HttpRequest): HttpResponseWithStatus;
  /**
   * Sends the request and returns as soon as the headers have come. Dropping the stream aborts it.
   */
  export function fetchStream(request: HttpRequest): HttpResponseStream;
  /**
   * # Variants
   * 
   * ## `"get"`
   * 
   * ## `"head"`
   * 
   * ## `"post"`
   * 
   * ## `"put"`
   * 
   * ## `"delete"`
   * 
   * ## `"options"`
   * 
   * ## `"patch"`
   */
  export type HttpMethod = 'get' | 'head' | 'post' | 'put' | 'delete' | 'options' | 'patch';
  export type RedirectPolicy = RedirectPolicyNoFollow | RedirectPolicyFollowLimit | RedirectPolicyFollowAll;
  export interface RedirectPolicyNoFollow {
    tag: 'no-follow',
  }
  /**
   * Follow at most this many redirects.
   */
  export interface RedirectPolicyFollowLimit {
    tag: 'follow-limit',
    val: number,
  }
  export interface RedirectPolicyFollowAll {
    tag: 'follow-all',
  }
  export interface HttpRequest {
    method: HttpMethod,
    /**
     * Absolute http or https URL.
     */
    url: string,
    headers: Array<[string, string]>,
    body?: Uint8Array,
    redirectPolicy: RedirectPolicy,
  }
  export interface HttpResponse {
    headers: Array<[string, string]>,
    body: Uint8Array,
  }
  export interface HttpResponseWithStatus {
    status: number,
    headers: Array<[string, string]>,
    body: Uint8Array,
  }
  
  export class HttpResponseStream implements Disposable {
    /**
     * This type does not have a public constructor.
     */
    private constructor();
    status(): number;
    headers(): Array<[string, string]>;
    /**
    * The next bytes, or none at the end of the body.
    */
    nextChunk(): Uint8Array | undefined;
    [Symbol.dispose](): void;
  }
}
