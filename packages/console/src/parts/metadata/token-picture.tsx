import { FileMediaIcon } from '@primer/octicons-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { IPFS_GATEWAY } from '../../api/addresses.ts';
import { locatePicture } from './locate-picture.ts';
import type { Located } from './locate-picture.ts';
import styles from './token-picture.module.css';

const WHERE: Record<Located['where'], string> = {
  chain: 'On the chain',
  ipfs: 'On IPFS',
  elsewhere: 'Hosted elsewhere',
};

/**
 * The picture of a token: one on the chain, or on IPFS where the operator named a gateway. Any other is named, since
 * the page asks no other host for anything: who hosts a picture would see who looks at it.
 * @param image `image` of the token's JSON
 */
export function TokenPicture({
  image,
  alt,
  children = 'No picture',
}: {
  image: string | undefined;
  alt: string;
  /** Stands there when there is no picture. */
  children?: ReactNode;
}) {
  const [broken, setBroken] = useState<string | null>(null);
  const located = image === undefined ? null : locatePicture(image, IPFS_GATEWAY);
  if (located && located.src !== null && located.src !== broken) {
    const { src } = located;
    return (
      <div className={styles.frame}>
        <img
          className={styles.picture}
          src={src}
          alt={alt}
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setBroken(src)}
        />
      </div>
    );
  }
  return (
    <div className={styles.frame}>
      <div className={styles.placeholder}>
        <FileMediaIcon size={24} />
        {located ? (
          <>
            <span>{located.src === null ? WHERE[located.where] : 'The gateway does not have it'}</span>
            <bdi className={`${styles.link} mono`}>{image}</bdi>
          </>
        ) : (
          children
        )}
      </div>
    </div>
  );
}
