declare module 'airlock:llm/system@0.1.0' {
  /**
   * Goes to the host's log under the extension's name, secrets removed.
   */
  export function log(level: LogLevel, message: string): void;
  /**
   * Cryptographically secure; at most 65,536 bytes a call.
   */
  export function randomBytes(count: number): Uint8Array;
  /**
   * Milliseconds since 1970-01-01T00:00:00Z.
   */
  export function now(): bigint;
  /**
   * # Variants
   * 
   * ## `"debug"`
   * 
   * ## `"info"`
   * 
   * ## `"warn"`
   * 
   * ## `"error"`
   */
  export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
}
