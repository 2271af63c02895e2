/** The version of this runtime; a manifest names the range that understands it (MAN-01, LOAD-02). */
export const RUNTIME_VERSION = '0.1.0';
