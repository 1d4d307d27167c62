import { text, type Reads } from '../kernel/document-reader.js';
import { isSecureUrl } from './addresses.js';

/** An https URL without a user; on development nodes also http on a loopback address. */
export function webAddress(allowLoopbackHttp: boolean): Reads<string> {
  return text(2048, 'an https URL without a user', (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isFine = url !== undefined && isSecureUrl(url, allowLoopbackHttp);
    return isFine && url.username === '' && url.password === '' ? value : undefined;
  });
}
